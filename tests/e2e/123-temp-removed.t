#!/bin/sh
# temp-removed: a run's temporary directory goes with it, whatever the command has made of
# it and however the run ends.
. "$(dirname "$0")/../lib.sh"

export TMPDIR="$T/temp"
mkdir "$TMPDIR"

# gone NAME SCRIPT [OPTION]...
gone() {
	name=$1 script=$2
	shift 2
	run "$SRUN" -q -f "$T/grant.ini" "$@" sh -c "cd \"\$TMPDIR\" || exit 9; $script"
	is "$isolation: $name" "$(ls -A "$TMPDIR")" ''
	unlike "$isolation: $name: srun has nothing to say" "$err" '^srun:.*remove'
}

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\nkill_after = 100ms\n' "$isolation" | grant
	gone "with files" 'seq 300 | xargs touch; mkdir -p a/b/c; echo x >a/b/c/f'
	gone "with names of every kind" 'touch -- -rf "a b" "$(printf "n\nl")" .hidden "*" 0.srun 1.srun; mkdir 2.srun; touch 2.srun/x'
	gone "with links out of it" 'ln -s / root; ln -s "$HOME" home; ln -s .. up; ln -s absent dangling; mkfifo p'
	gone "with directories of mode 000" 'mkdir -p a/b/c; touch a/b/c/f; chmod 0 a/b/c a/b a; mkdir z; chmod 0 z'
	gone "with directories of mode 555" 'mkdir -p a/b/c; touch a/b/c/f; chmod 555 a/b/c a/b a'
	gone "with its own mode 000" 'mkdir a; touch a/f; chmod 0 "$TMPDIR"'
	gone "3,000 directories deep" "\"$HELPERS/deep\" 3000"
	is "$isolation: that deep it was" "$rc" 0
	gone "deep, with mode 000 on the way" 'for i in $(seq 300); do mkdir d x; touch x/f; chmod 0 x; cd -P d; done; cd "$TMPDIR"; chmod 0 d'
	gone "after a failure" 'touch f; exit 1'
	gone "after a signal" 'touch f; kill -9 $$'
	gone "after a command that is not there" 'touch f; exec /absent'
	gone "after a timeout" 'touch f; mkdir -p a/b; chmod 0 a; trap "" TERM; sleep 10' --timeout 300ms
	gone "with a background child that goes on writing" '(while :; do mkdir -p a/$RANDOM/b; touch a/$$; done) & sleep 0.2'
	for sig in TERM HUP INT; do
		rm -f "$W/up"
		"$HELPERS/life" "$SRUN" -q -f "$T/grant.ini" sh -c 'mkdir "$TMPDIR/a"; chmod 0 "$TMPDIR/a"; : >up; exec sleep 10' >/dev/null &
		life=$!
		wait_for 10 test -e "$W/up"
		kill -"$sig" "$(pgrep -P "$life")"
		wait "$life"
		is "$isolation: after $sig for srun" "$(ls -A "$TMPDIR")" ''
	done
	is "$isolation: links were not followed" "$(ls -d "$H" /)" "/
$H"
	run "$SRUN" -q -f "$T/grant.ini" --set sandbox.working_directory=temp sh -c 'pwd; mkdir -p a/b; chmod 0 a; touch f'
	like "$isolation: a working directory made for the run" "$out" "^$TMPDIR/"
	is "$isolation: goes too" "$(ls -A "$TMPDIR")" ''
done

done_testing
