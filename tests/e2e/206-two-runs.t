#!/bin/sh
# two-runs: runs at the same time have different grants, and neither has or changes the
# other's.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir "$D/a" "$D/b" "$T/temp"
echo a >"$D/a/f"
echo b >"$D/b/f"
export TMPDIR="$T/temp"
for x in a b; do
	y=$(echo "$x" | tr ab ba)
	printf '[filesystem]\nallow_write = %s\ndeny_read = %s\n[env]\nME = %s\n' "$D/$x" "$D/$y" "$x" >"$T/$x.ini"
done
printf '[network]\nmode = all\n' >>"$T/b.ini"
script='
	: >"$2/ready-$ME"
	read -r x <"$2/go-$ME"
	echo $("$1" create "$2/../d/a/x") $("$1" create "$2/../d/b/x") $("$1" open-read "$2/../d/a/f") \
		$("$1" open-read "$2/../d/b/f") $("$1" send-udp 127.0.0.1 9)$(ls -d /proc/[0-9]* | wc -l)
'
mkfifo "$W/go-a" "$W/go-b"
"$SRUN" -q -f "$T/a.ini" -- sh -c "$script" sh "$TRY" "$W" >"$T/a.out" 2>&1 &
one=$!
"$SRUN" -q -f "$T/b.ini" -- sh -c "$script" sh "$TRY" "$W" >"$T/b.out" 2>&1 &
two=$!
wait_for 10 test -e "$W/ready-a" -a -e "$W/ready-b"
echo >"$W/go-a"
echo >"$W/go-b"
wait "$one" "$two"
like "the first has its grant" "$(cat "$T/a.out")" '^ok (EROFS|EACCES) ok EACCES ok[0-9]$'
like "the second has its own" "$(cat "$T/b.out")" '^(EROFS|EACCES) ok EACCES ok ok[0-9]$'

# Many.
count=30
i=0
while [ "$i" -lt "$count" ]; do
	i=$((i + 1))
	mkdir "$D/r$i" "$D/s$i"
	printf '[filesystem]\nallow_write = %s\ndeny_read = %s\n' "$D/r$i" "$D/s$i" >"$T/g$i.ini"
	# shellcheck disable=SC2016
	"$SRUN" -q -f "$T/g$i.ini" -- sh -c '
		"$1" -k create "$2/r$3/f"; "$1" create "$2/r$4/g"; "$1" readdir "$2/s$3"; "$1" readdir "$2/s$4"' \
		sh "$TRY" "$D" "$i" "$((i % count + 1))" >"$T/o$i" 2>&1 &
done
wait
is "$count runs: each has its own" "$(cat "$T"/o[0-9]* | paste -sd ' ' | sed 's/ok EROFS EACCES ok */./g')" \
	"$(printf "%0${count}d" 0 | tr 0 .)"
is "and nothing is left" "$(ls -A "$T/temp")" ''

done_testing
