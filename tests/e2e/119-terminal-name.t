#!/bin/sh
# terminal-name: the terminal that the command has inherited has a name inside, by which
# ttyname(3) finds it; that name leads to no other terminal, and to nothing that the
# inherited descriptor would not allow.
. "$(dirname "$0")/../lib.sh"

pty=$HELPERS/pty
export TERM=xterm
printf '[sandbox]\nisolation = bwrap\n' | grant
set -- "$SRUN" -q -f "$T/grant.ini"

run "$pty" -- "$@" sh -c 'tty && tty <&1 && tty <&2'
is "tty: the same name for all three" "$rc $out" "0 /dev/console
/dev/console
/dev/console"
is "it is the terminal itself" "$("$pty" -- "$@" sh -c 'stat -c "%t:%T" "$(tty)"; stat -L -c "%t:%T" /proc/self/fd/0' | sort -u | wc -l)" 1
is "what is written there arrives" "$("$pty" -- "$@" sh -c 'echo there >"$(tty)"; echo here >/dev/tty')" "there
here"
run "$pty" '=line\n' -- "$@" sh -c 'read -r x <"$(tty)"; echo "got $x"'
is "what is typed can be read there" "$out" "got line"
run "$pty" -- "$@" sh -c 'tty; exec </dev/null; tty; tty <&1'
is "by descriptor" "$out" "/dev/console
not a tty
/dev/console"
is "only stderr is a terminal" "$("$pty" -- sh -c '"$@" sh -c "tty <&2 >&2" </dev/null | cat' sh "$@")" /dev/console
is "without a terminal there is no such node" "$("$@" sh -c 'ls /dev/console 2>&1; tty' </dev/null 2>&1 | cat)" "ls: cannot access '/dev/console': No such file or directory
not a tty"

# A second terminal of the same user: bare it is a name away.
cat >"$T/spy" <<-'END'
	tty >"$1"
	while [ ! -e "$1.end" ]; do sleep 0.05; done
END
"$pty" -- sh "$T/spy" "$T/other" >"$T/other.out" &
wait_for 10 test -s "$T/other"
other=$(cat "$T/other")
run "$pty" -- "$HELPERS/try" open-write "$other"
is "control: bare another terminal can be opened" "$rc $out" "0 ok"
run "$pty" -- "$@" "$HELPERS/try" open-write "$other"
is "under srun it is not there" "$rc $out" "1 ENOENT"
is "no terminal but one's own has a name" "$("$pty" -- "$@" ls -A /dev/pts)" ptmx
: >"$T/other.end"
wait
# Opened by its name, the terminal takes no typed text either.
run "$pty" -- "$@" sh -c 'exec "$0" sti 0 <>/dev/console' "$HELPERS/inject"
is "TIOCSTI on the node" "$rc $out" "1 EPERM"

# Programs that ask for the name.
if python3 -c 1 2>/dev/null; then
	is "python: os.ttyname" "$("$pty" -- "$@" python3 -c 'import os; print(os.ttyname(0))')" /dev/console
	run "$pty" '?word: ' '=secret\n' -- "$@" python3 -c 'import getpass; print("got", getpass.getpass("word: "))'
	like "python: a password from /dev/tty" "$out" '^ *got secret$'
fi
if command -v script >/dev/null; then
	run "$pty" -- "$@" script -qec 'tty; exit 3' /dev/null
	is "script: a terminal of its own" "$rc $out" "3 /dev/pts/0"
fi
if command -v vim >/dev/null; then
	run "$pty" -- "$@" vim -u NONE -c q
	is "vim" "$rc" 0
fi
if command -v less >/dev/null; then
	run "$pty" '~300' '=q' -- "$@" sh -c 'seq 200 | less'
	is "less: keys from the terminal, text from a pipe" "$rc" 0
fi
if command -v gpg >/dev/null; then
	run "$pty" -- "$@" sh -c 'GNUPGHOME=$TMPDIR gpg --batch -q --list-keys'
	is "gpg --batch" "$rc" 0
fi

done_testing
