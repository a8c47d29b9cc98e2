#!/bin/sh
# leftovers: what is held for a run is gone when it is over, however it ends.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/deny.sh"
git_env

# A state directory of this test's own: what is in it can be counted.
mkdir -m 700 "$T/run"
export XDG_RUNTIME_DIR="$T/run"
make_repository "$W"
mkdir -p "$W/have"
grant <<-END
	[filesystem]
	allow_write = $W
	deny_write = $W/a/b/c
	[sandbox]
	kill_after = 200ms
END
before

# The journals and entries of runs; "closed", what a scan saw and the copies for git stay.
journals() {
	find "$T/run/srun" \( -name '*.hold' -o -name '*.run' \) | wc -l
}
nothing_left() {
	unchanged "$1: nothing is left in the tree"
	is "$1: no journal" "$(journals)" 0
}
gone() {
	[ "$(journals)" -eq 0 ] && [ ! -e "$W/.envrc" ]
}

# A run in the background: returns when its command has started; $pid is srun.
begin() {
	: >"$T/started"
	"$SRUN" -q -f "$T/grant.ini" -- sh -c 'echo started; exec sleep 60' >"$T/started" 2>/dev/null &
	pid=$!
	wait_for 10 test -s "$T/started"
}

srun_run -q -- sh -c 'test -d .envrc && test -d a/b/c'
is "control: names are held while it runs" "$?" 0
nothing_left "after success"
for command in false 'exit 3' 'kill -9 $$' 'kill -TERM $$' '/nowhere/at/all' 'exec /dev/null'; do
	srun_run -q -- sh -c "$command" >/dev/null 2>&1
	nothing_left "after '$command'"
done
srun_run -q -- /nowhere/at/all 2>/dev/null
nothing_left "after a command that does not exist"
srun_run -q --timeout 100ms -- sleep 60
is "after a timeout" "$?" 124
nothing_left "after a timeout"
for signal in TERM INT HUP QUIT; do
	"$SRUN" -q -f "$T/grant.ini" -- sleep 60 &
	pid=$!
	wait_for 5 test -d .envrc
	kill -"$signal" "$pid" 2>/dev/null
	# A shell starts its background jobs with these two ignored.
	case $signal in INT | QUIT) kill -TERM "$pid" 2>/dev/null ;; esac
	wait "$pid" 2>/dev/null
	nothing_left "after SIG$signal"
done
begin
kill -9 "$pid"
wait "$pid" 2>/dev/null
wait_for 10 gone
nothing_left "after kill -9 of srun"

# A grant that is refused after names were made.
ln -s /nowhere .vscode
before
"$SRUN" -f "$T/grant.ini" -- true 2>/dev/null
is "control: refused" "$?" 125
nothing_left "after a refusal"
rm .vscode
before

# ---- what a run leaves in a held directory, or the host changes, is not removed ----
srun_run -q -- sh -c 'echo out >a/b/file'
is "what was written beside a held name stays" "$(cat a/b/file)" out
rm -r a
begin
echo mine >.envrc/file 2>/dev/null
kill "$pid"
wait "$pid" 2>/dev/null
is "what the host puts into a held name stays" "$(cat .envrc/file)" mine
is "and only that" "$(find . -maxdepth 1 -name '[!.]*' -o -maxdepth 1 -name '.[!.]*' | sort | tr '\n' ' ')" "./.envrc ./.git ./have ./one "
rm -r .envrc
before

# ---- a crash: swept by the next run, in whatever directory ----
begin
guardian=$(find /proc -maxdepth 1 -name '[0-9]*' 2>/dev/null | while read -r p; do
	[ "$(sed -n 's/^PPid:[[:space:]]*//p' "$p/status" 2>/dev/null)" = "$pid" ] && echo "${p#/proc/}"
done)
# shellcheck disable=SC2086 # several
kill -STOP $guardian 2>/dev/null
kill -9 "$pid"
# shellcheck disable=SC2086
kill -9 $guardian 2>/dev/null
wait "$pid" 2>/dev/null
if [ -d .envrc ]; then
	ok "control: a crash of everything leaves names"
else
	skip "control: a crash of everything leaves names" "something has cleaned up"
fi
mkdir "$D/elsewhere"
cat >"$T/other.ini" <<-END
	[filesystem]
	allow_write = $D/elsewhere
END
rmdir_elsewhere() {
	"$SRUN" -q -f "$T/other.ini" -- true && gone
}
wait_for 10 rmdir_elsewhere
rmdir "$D/elsewhere"
nothing_left "after a crash and a run elsewhere"

# ---- shared by runs: the deny of one survives the end of another ----
begin
first=$pid
"$SRUN" -q -f "$T/grant.ini" -- sh -c 'until [ -e have/go ]; do sleep 0.05; done; "$@"' sh \
	"$TRY" create "$W/.envrc" >"$T/second" 2>&1 &
second=$!
wait_for 5 test "$(journals)" -gt 0
sleep 0.3
kill "$first"
wait "$first" 2>/dev/null
check "the name is still there when the first run is over" test -d .envrc
touch have/go
wait "$second"
is "and still denied" "$(cat "$T/second")" EEXIST
rm have/go
nothing_left "after both"

# A run that dies while another goes on takes nothing with it.
begin
first=$pid
begin
second=$pid
kill -9 "$first"
wait "$first" 2>/dev/null
sleep 0.3
check "kill -9 of one leaves the other's names" test -d .envrc
kill "$second"
wait "$second" 2>/dev/null
wait_for 10 gone
nothing_left "after both again"

done_testing
