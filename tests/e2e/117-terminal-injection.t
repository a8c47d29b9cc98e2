#!/bin/sh
# terminal-injection: the ways to type into the caller's terminal are refused, also when the
# number of the request has bits beyond the 32 that the kernel looks at.
. "$(dirname "$0")/../lib.sh"

pty=$HELPERS/pty
printf '[sandbox]\nisolation = bwrap\n' | grant
set -- "$SRUN" -q -f "$T/grant.ini"

# at NAME ERRNO REQUEST: bare something else than EPERM by the filter, inside that errno
for high in 0 0x100000000 0xffffffff00000000 0x8000000000000000; do
	run "$pty" -- "$@" "$HELPERS/inject" sti "$high"
	is "TIOCSTI + $high" "$rc $out" "1 EPERM"
	run "$pty" -- "$@" "$HELPERS/inject" linux "$high"
	is "TIOCLINUX + $high" "$rc $out" "1 EPERM"
done
# The control: the kernel refuses that itself only where it is told to (dev.tty.legacy_tiocsti),
# and knows the other one on a console alone.
if [ "$(cat /proc/sys/dev/tty/legacy_tiocsti 2>/dev/null || echo 1)" = 1 ]; then
	for high in 0 0x100000000; do
		run "$pty" -- "$HELPERS/inject" sti "$high"
		is "control: bare TIOCSTI + $high" "$rc $out" "0 ok"
	done
else
	skip "control: bare TIOCSTI" "the kernel refuses it"
fi
run "$pty" -- "$HELPERS/inject" linux 0
is "control: bare TIOCLINUX is no matter of permission" "$rc $out" "1 ENOTTY"
run "$pty" '~300' '=\n' -- sh -c '"$@"; read -r x; echo "line:$x:"' sh "$@" "$HELPERS/inject" sti 0
like "nothing was typed" "$out" '^line::$'
run "$pty" -- "$@" stty size
is "control: other requests work" "$rc $out" "0 24 80"

done_testing
