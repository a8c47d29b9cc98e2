#!/bin/sh
# unavailable: what happens where bubblewrap cannot be used: `auto` goes on without it and
# says so in one line, a pinned backend is exit 125 with the reason and the remedy.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

echo | grant
export TMPDIR="$T/temp"
mkdir "$TMPDIR"
unshare -Urm true 2>/dev/null || skip_all "no user namespace can be made here"

# try_auto NAME REGEX WRAPPER...: both ways, where the wrapper makes bubblewrap fail
try_both() {
	what=$1 reason=$2
	shift 2
	run "$@" "$SRUN" -f "$T/grant.ini" --isolation bwrap -- touch "$W/started"
	is "$what: pinned: exit" "$rc" 125
	like "$what: pinned: the reason" "$err" "^srun: isolation unavailable: bwrap: .*($reason)"
	is "$what: pinned: one line" "$(wc -l <"$T/err")" 1
	check_not "$what: pinned: nothing is started" test -e "$W/started"
	run "$@" "$SRUN" -f "$T/grant.ini" -- sh -c 'echo ran; exit 7'
	is "$what: auto: the command runs" "$rc $out" "7 ran"
	like "$what: auto: says what is not enforced, and why" "$err" \
		"^srun: isolation 'none' does not enforce: fs, deny-set, net, unix, pid; .*($reason)"
	is "$what: auto: in one line" "$(wc -l <"$T/err")" 1
	run "$@" "$SRUN" -q -f "$T/grant.ini" -- sh -c 'echo ran'
	is "$what: -q: no line" "$rc $out $err" "0 ran "
	run "$@" "$SRUN" -f "$T/grant.ini" --require fs -- touch "$W/started"
	is "$what: auto with --require: exit" "$rc" 125
	check_not "$what: auto with --require: nothing is started" test -e "$W/started"
	run "$@" "$SRUN" -f "$T/grant.ini" --check
	like "$what: --check says so" "$out" "^isolation +none: .*($reason)"
	is "$what: nothing is left" "$(ls -A "$T/temp")" ''
}

# try_neither NAME REGEX WRAPPER...: a failure that may pass, such as a moment without
# processes, which another run's command can bring about: `auto` must not run this one free.
try_neither() {
	what=$1 reason=$2
	shift 2
	for isolation in auto bwrap; do
		run "$@" "$SRUN" -f "$T/grant.ini" --isolation "$isolation" -- touch "$W/started"
		is "$what: $isolation: exit" "$rc" 125
		like "$what: $isolation: the reason" "$err" "^srun: isolation unavailable: bwrap: .*$reason"
		is "$what: $isolation: one line" "$(wc -l <"$T/err")" 1
		check_not "$what: $isolation: nothing is started" test -e "$W/started"
	done
	run "$@" "$SRUN" -f "$T/grant.ini" --check
	is "$what: --check does not show another backend" "$rc $out" "125 "
	is "$what: nothing is left" "$(ls -A "$T/temp")" ''
}

# The limit is set in a namespace of its own, by who is privileged there, as the same user.
# shellcheck disable=SC2317 # called through try_both
no_namespaces() {
	unshare --user --map-current-user --keep-caps sh -c '
		echo 0 >/proc/sys/user/max_user_namespaces &&
			exec setpriv --inh-caps=-all --ambient-caps=-all "$@"' sh "$@"
}
if no_namespaces sh -c '! unshare -U true 2>/dev/null'; then
	try_both "user namespaces switched off" "namespace" no_namespaces
else
	skip "user namespaces switched off" "the limit cannot be set here"
fi

if is_root; then
	# instead FILE COMMAND...: with FILE in bubblewrap's place
	# shellcheck disable=SC2317 # called through try_both
	instead() {
		file=$1
		shift
		unshare -m sh -c 'f=$1; shift; for b in /usr/bin/bwrap /usr/local/bin/bwrap; do
			[ ! -e "$b" ] || mount --bind "$f" "$b" || exit 99; done; exec "$@"' sh "$file" "$@"
	}
	printf '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n' >"$T/stub"
	chmod 755 "$T/stub"
	try_both "a bubblewrap that may not" "not permitted" instead "$T/stub"
	printf '#!/bin/sh\necho "bwrap: Unknown option --perms" >&2\nexit 1\n' >"$T/stub"
	try_both "an old bubblewrap" "too old" instead "$T/stub"
	printf '#!/bin/sh\nexit 0\n' >"$T/stub"
	try_neither "something that only says yes" "without a word" instead "$T/stub"
	for errno in "Resource temporarily unavailable" "Cannot allocate memory"; do
		printf '#!/bin/sh\necho "bwrap: Creating new namespace failed: %s" >&2\nexit 1\n' \
			"$errno" >"$T/stub"
		try_neither "no namespace for a moment: $errno" "namespaces cannot be made" instead "$T/stub"
	done
	printf '#!/bin/sh\nexit 0\n' >"$T/stub"
	try_both "not installed" "not a regular file|not executable" instead /dev/null
	chmod 4755 "$T/stub"
	try_both "a setuid one" "setuid" instead "$T/stub"
	chmod 777 "$T/stub"
	try_both "one that everyone can write" "writable" instead "$T/stub"
	chmod 755 "$T/stub"
	chown 1501 "$T/stub"
	try_both "somebody else's" "does not belong to root" instead "$T/stub"
fi

# PATH is for the command.
mkdir "$T/bin"
printf '#!/bin/sh\necho fooled\nexit 9\n' >"$T/bin/bwrap"
chmod 755 "$T/bin/bwrap"
PATH=$T/bin:$PATH
inside "a bwrap in PATH is not taken" none -- "$TRY" caps

done_testing
