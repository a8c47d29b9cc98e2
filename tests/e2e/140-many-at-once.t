#!/bin/sh
# many-at-once: fifty runs at the same time with fifty grants: each has its own files,
# environment, temporary directory, timeout and exit status, and nothing of another's.
. "$(dirname "$0")/../lib.sh"

export TMPDIR="$T/temp"
mkdir "$TMPDIR" "$T/out"
N=50
i=0
while [ "$i" -lt "$N" ]; do
	i=$((i + 1))
	mkdir "$D/$i"
	echo "text $i" >"$D/$i/f"
	# Each may read and write its own directory and no other.
	cat >"$T/$i.ini" <<-END
		[filesystem]
		deny_read = $D
		read_write_paths = $D/$i
		write_working_directory = no
		[env]
		NUMBER = $i
	END
done
cat >"$T/job" <<-'END'
	cat "$1/$NUMBER/f"
	echo "mine $NUMBER" >"$1/$NUMBER/made" && cat "$1/$NUMBER/made"
	echo "$NUMBER" >"$TMPDIR/f"
	ls -A "$TMPDIR" | wc -l
	echo "$TMPDIR" >"$1/$NUMBER/tmp"
	others=0
	for d in 1 2 3 4 5 6 7 8 9 10 20 30 40 50; do
		[ "$d" = "$NUMBER" ] && continue
		cat "$1/$d/f" 2>/dev/null && others=$((others + 1))
		(: >"$1/$d/x") 2>/dev/null && others=$((others + 1))
	done
	echo "others $others"
	sleep 0.5
	cat "$TMPDIR/f"
	exit "$NUMBER"
END
i=0
while [ "$i" -lt "$N" ]; do
	i=$((i + 1))
	(
		"$SRUN" -q -f "$T/$i.ini" -- sh "$T/job" "$D" >"$T/out/$i" 2>"$T/out/$i.err"
		echo "exit $?" >>"$T/out/$i"
	) &
done
wait
wrong=
i=0
while [ "$i" -lt "$N" ]; do
	i=$((i + 1))
	[ "$(cat "$T/out/$i" "$T/out/$i.err")" = "text $i
mine $i
1
others 0
$i
exit $i" ] || wrong="$wrong $i"
done
is "each of $N did exactly its own" "$wrong" ''
[ -z "$wrong" ] || diag "$(head -n 20 "$T/out/${wrong##* }" "$T/out/${wrong##* }.err")"
is "$N different temporary directories" "$(cat "$D"/*/tmp | sort -u | wc -l)" "$N"
is "none of them is left" "$(ls -A "$TMPDIR")" ''
is "control: bare the others' files are read" "$(cat "$D"/*/f | wc -l)" "$N"

# Timeouts of some are no matter of the others.
i=0
while [ "$i" -lt 20 ]; do
	i=$((i + 1))
	(
		"$SRUN" -q -f "$T/$i.ini" --timeout $((i % 2 * 20000 + 300))ms -- sleep 1
		echo "$((i % 2)) $?"
	) >"$T/out/$i" &
done
wait
i=0
got=$(while [ "$i" -lt 20 ]; do
	i=$((i + 1))
	cat "$T/out/$i"
done | sort | uniq -c | sed 's/^ *//')
is "ten end by their timeout, ten by themselves" "$got" "10 0 124
10 1 0"

done_testing
