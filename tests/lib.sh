# shellcheck shell=sh
# lib.sh: what every tests/e2e/NNN-topic.t sources first:
#
#	. "$(dirname "$0")/../lib.sh"
#	grant <<-END
#		[filesystem]
#		deny_read = $D
#	END
#	denied EACCES "a denied file cannot be read" -- "$TRY" open-read "$D/secret"
#	done_testing
#
# Each file gets fresh directories, removed at its end, also when it is killed:
#	W  the working directory, where the file starts
#	T  the test's own: grant.ini, out, err
#	D  data that is outside the working directory
#	H  the home; HOME is set to it
# and the programs
#	SRUN     the srun under test
#	TRY      tests/helpers/try: one call, "ok" or the errno's name
#	HELPERS  the directory of TRY and the other helpers
# Output is TAP. Lines "# user: root", "# user: plain" (run only as that one) and
# "# serial: yes" (run alone: it measures time) near the top of a file are for tests/run.

set -u
umask 022
export LC_ALL=C
unset SRUN_GRANT SRUN_ID XDG_CONFIG_HOME XDG_RUNTIME_DIR CDPATH ENV BASH_ENV 2>/dev/null

TOP=$(cd "$(dirname "$0")/../.." && pwd -P) || exit 1
SRUN=${SRUN_BIN:-$TOP/srun}
HELPERS=${SRUN_HELPERS:-$TOP/build/helpers}
# shellcheck disable=SC2034 # the tests use it
TRY=$HELPERS/try

# A real path: /tmp can be a link, and grants say what the kernel says.
base=$(mktemp -d "${TMPDIR:-/tmp}/t-srun.XXXXXX") && base=$(cd "$base" && pwd -P) || exit 1
W=$base/w T=$base/t D=$base/d H=$base/h
mkdir "$W" "$T" "$D" "$H"
export HOME="$H"
cd "$W" || exit 1
# clean_up removes it: a test that used the name for something else would remove that.
readonly base

clean_up() {
	cd / || :
	# Directories of mode 000 are what some tests are about.
	find "$base" -type d ! -perm -700 -exec chmod u+rwx {} + 2>/dev/null
	rm -rf "$base" 2>/dev/null || { chmod -R u+rwX "$base"; rm -rf "$base"; }
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 141' PIPE

tests=0
failed=0

ok() {
	tests=$((tests + 1))
	printf 'ok %d - %s\n' "$tests" "$1"
}

not_ok() {
	tests=$((tests + 1))
	failed=$((failed + 1))
	printf 'not ok %d - %s\n' "$tests" "$1"
}

# Text as comments, so that a failure says what it saw.
diag() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

# skip NAME REASON: one test that cannot be done here. tests/run counts it aloud.
skip() {
	tests=$((tests + 1))
	printf 'ok %d - %s # SKIP %s\n' "$tests" "$1" "$2"
}

# skip_all REASON: the whole file, before any test.
skip_all() {
	printf '1..0 # SKIP %s\n' "$1"
	exit 0
}

done_testing() {
	printf '1..%d\n' "$tests"
	[ "$failed" -eq 0 ]
	exit
}

is_root() {
	[ "$(id -u)" -eq 0 ]
}

# check NAME COMMAND...: the command succeeds. What it says is shown only if it fails.
check() {
	name=$1
	shift
	rc=0
	check_said=$("$@" 2>&1 </dev/null) || rc=$?
	if [ "$rc" -eq 0 ]; then
		ok "$name"
	else
		not_ok "$name"
		diag "exit $rc from: $*"
		diag "$check_said"
	fi
}

# check_not NAME COMMAND...: the command fails.
check_not() {
	name=$1
	shift
	if check_said=$("$@" 2>&1 </dev/null); then
		not_ok "$name"
		diag "should have failed: $*"
		diag "$check_said"
	else
		ok "$name"
	fi
}

# is NAME GOT WANT
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1"
		diag "got:  $2"
		diag "want: $3"
	fi
}

isnt() {
	if [ "$2" != "$3" ]; then
		ok "$1"
	else
		not_ok "$1"
		diag "got what it must not be: $2"
	fi
}

# like NAME TEXT REGEX: some line of the text matches the extended expression.
like() {
	if printf '%s\n' "$2" | grep -Eq -e "$3"; then
		ok "$1"
	else
		not_ok "$1"
		diag "no line matches: $3"
		diag "$2"
	fi
}

unlike() {
	if printf '%s\n' "$2" | grep -Eq -e "$3"; then
		not_ok "$1"
		diag "a line matches: $3"
		diag "$2"
	else
		ok "$1"
	fi
}

# run COMMAND...: never fails; leaves out, err (without their last newlines) and rc.
# The bytes themselves are in $T/out and $T/err.
# shellcheck disable=SC2034 # the tests read them
run() {
	rc=0
	"$@" >"$T/out" 2>"$T/err" || rc=$?
	out=$(cat "$T/out")
	err=$(cat "$T/err")
}

# The text on stdin becomes the grant of srun_run.
grant() {
	cat >"$T/grant.ini"
}

# srun_run [OPTION]... [--] COMMAND...: under the grant
srun_run() {
	"$SRUN" -f "$T/grant.ini" "$@"
}

# denied ERRNO NAME [OPTION]... -- HELPER...: the helper, which prints "ok" or the name of
# an errno, succeeds bare (the control: without it a wrong path would look like a refusal)
# and under srun answers exactly that errno. "A|B" accepts either.
denied() {
	want=$1 name=$2
	shift 2
	all="$*"
	opts=
	while [ "$1" != -- ]; do
		opts="$opts $1"
		shift
	done
	shift
	if ! got=$("$@" 2>&1 </dev/null); then
		not_ok "$name"
		diag "the control failed: without srun the answer is already '$got': $*"
		return
	fi
	# shellcheck disable=SC2086 # options are words
	got=$(srun_run $opts -- "$@" 2>"$T/denied.err" </dev/null)
	rc=$?
	case "|$want|" in
	*"|$got|"*)
		if [ "$rc" -eq 1 ]; then
			ok "$name"
			return
		fi
		;;
	esac
	not_ok "$name"
	diag "got '$got', exit $rc; want '$want', exit 1: $all"
	diag "$(cat "$T/denied.err")"
}

# allowed NAME [OPTION]... -- HELPER...: the helper succeeds bare and under srun alike.
allowed() {
	name=$1
	shift
	all="$*"
	opts=
	while [ "$1" != -- ]; do
		opts="$opts $1"
		shift
	done
	shift
	bare=$("$@" 2>&1 </dev/null)
	bare_rc=$?
	# shellcheck disable=SC2086 # options are words
	got=$(srun_run $opts -- "$@" 2>"$T/denied.err" </dev/null)
	rc=$?
	if [ "$bare_rc" -eq 0 ] && [ "$rc" -eq 0 ] && [ "$got" = "$bare" ]; then
		ok "$name"
		return
	fi
	not_ok "$name"
	diag "bare: '$bare', exit $bare_rc; under srun: '$got', exit $rc: $all"
	diag "$(cat "$T/denied.err")"
}

# refused NAME REGEX ARG...: srun itself refuses: exit 125, a message that matches, nothing
# on stdout.
refused() {
	name=$1 want=$2
	shift 2
	run "$SRUN" "$@" </dev/null
	if [ "$rc" -eq 125 ] && [ ! -s "$T/out" ] && grep -Eq -e "$want" "$T/err"; then
		ok "$name"
		return
	fi
	not_ok "$name"
	diag "exit $rc (want 125), message to match: $want"
	diag "stdout: $out"
	diag "stderr: $err"
}

# wait_for SECONDS COMMAND...: until the command succeeds; fails when the time is over.
wait_for() {
	end=$(($(date +%s) + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$(date +%s)" -lt "$end" ] || return 1
		sleep 0.05
	done
}

# Milliseconds since some moment, for durations.
now_ms() {
	# /proc/uptime: two decimals
	read -r up _ </proc/uptime
	echo "$((${up%.*}${up#*.} * 10))"
}
