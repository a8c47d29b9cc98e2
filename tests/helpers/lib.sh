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
	find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'srun.*' | sort
}
