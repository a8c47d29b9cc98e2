#!/bin/sh
# few-privileges: where the caller's own privileges have been taken away, as in a container,
# srun works through a user namespace, or says in one line what is missing.
. "$(dirname "$0")/../lib.sh"

echo | grant
# works NAME WRAPPER...: a command runs and is confined, or a pinned start says why not
works() {
	name=$1
	shift
	"$@" true 2>/dev/null || {
		skip "$name" "this cannot be taken away here"
		return
	}
	run "$@" "$SRUN" -f "$T/grant.ini" --isolation bwrap -- sh -c 'echo ran; (: >"$1/x") 2>/dev/null && echo wrote; exit 3' sh "$D"
	if [ "$rc" -eq 125 ]; then
		like "$name: refused with a reason" "$err" '^srun: isolation unavailable: bwrap: .'
		is "$name: in one line" "$(wc -l <"$T/err")" 1
		return
	fi
	is "$name: works" "$rc $out$err" "3 ran"
	is "$name: the command has no privileges" "$("$@" "$SRUN" -q -f "$T/grant.ini" "$TRY" caps)" none
}

if is_root; then
	works "root without CAP_SYS_ADMIN" setpriv --bounding-set -sys_admin --inh-caps -sys_admin
	works "root without any" setpriv --bounding-set -all --inh-caps -all
fi
works "no_new_privs" setpriv --no-new-privs
works "no way to any" setpriv --inh-caps -all --no-new-privs
works "inside a user namespace" unshare --user --map-current-user
works "inside one of root" unshare --user --map-root-user
works "a bounded number of processes and files" prlimit --nofile=64:64
works "in a session of its own" setsid -w
# srun in srun: namespaces cannot be made inside, and that is what it says.
run srun_run -q -- "$SRUN" --isolation bwrap -f /dev/null true
is "srun inside srun: exit" "$rc" 125
like "says why" "$err" '^srun: isolation unavailable: bwrap: .'
run srun_run -q -- "$SRUN" -q --isolation none -f /dev/null sh -c 'exit 4'
is "without isolation of its own it runs" "$rc" 4

done_testing
