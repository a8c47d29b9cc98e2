# shellcheck shell=sh
# helpers/lib.sh: what tests of files and grants share beyond tests/lib.sh.

# inside NAME WANT [OPTION]... [--] COMMAND...: what the command prints under the grant,
# on stdout and stderr.
inside() {
	inside_name=$1 inside_want=$2
	shift 2
	inside_rc=0
	inside_got=$(srun_run -q "$@" 2>&1 </dev/null) || inside_rc=$?
	if [ "$inside_got" = "$inside_want" ]; then
		ok "$inside_name"
	else
		not_ok "$inside_name"
		diag "got:  $inside_got"
		diag "want: $inside_want"
		diag "exit $inside_rc from: $*"
	fi
}

# grant_refused NAME REGEX [OPTION]... : the grant on stdin cannot be loaded, and the
# command is not started.
grant_refused() {
	grant
	refused "$1" "$2" -f "$T/grant.ini" -- touch "$T/was-started"
	[ ! -e "$T/was-started" ] || not_ok "$1: the command was started"
}

# each WORD...: one a line, for lists to compare.
each() {
	printf '%s\n' "$@"
}

# What srun makes in the directory for temporary files while it runs.
temp_names() {
	find "${TMPDIR:-/tmp}/srun-$(id -u)" -mindepth 1 -maxdepth 1 ! -name '*.*' ! -name closed 2>/dev/null | sort
}

# serve ADDRESS|PATH: starts a server of the host, leaves server (its pid) and port. It
# ends with the test: its stdin is a pipe that only the test holds.
serve() {
	rm -f "$T/hold" "$T/port"
	mkfifo "$T/hold"
	"$HELPERS/serve" "$1" <"$T/hold" >"$T/port" 2>&1 &
	# shellcheck disable=SC2034 # the tests use it
	server=$!
	exec 8>"$T/hold"
	wait_for 10 test -s "$T/port"
	port=$(cat "$T/port")
	case $port in
	*[!0-9]*) [ "$port" = "$1" ] ;;
	esac
}

# same NAME SCRIPT: the shell script gives the same output and exit status bare and under
# the grant, each on a fresh copy of what is in $W, at the same place. It changes nothing.
same() {
	rm -rf "$base/copy"
	cp -a "$W" "$base/copy"
	same_rc=0
	(cd "$W" && sh -c "$2") >"$T/bare.out" 2>"$T/bare.err" </dev/null || same_rc=$?
	same_restore
	run srun_run -q -- sh -c "$2" </dev/null
	if [ "$rc" -eq "$same_rc" ] && cmp -s "$T/bare.out" "$T/out"; then
		ok "$1"
	else
		not_ok "$1"
		diag "exit $rc, bare $same_rc"
		diag "$(diff "$T/bare.out" "$T/out" | head -n 20)"
		diag "stderr: $(tail -n 20 "$T/err")"
	fi
	same_restore
}

# The directory itself stays: the test is in it.
same_restore() {
	find "$W" -mindepth 1 -maxdepth 1 -exec rm -rf {} +
	cp -a "$base/copy/." "$W"
}

# have PROGRAM: skips the file where it is not installed or does not run.
have() {
	"$1" --version >/dev/null 2>&1 || skip_all "$1 is not installed"
}
