#!/bin/sh
# demo: shows what a grant allows and what it refuses, with real commands in a directory
# made for it. Run by 'make demo'. Exit 0 only if every outcome is what the grant says.
#
# SRUN_BIN=FILE	the srun to show, instead of the one beside tests/
set -u
umask 022
export LC_ALL=C LANG=C
unset SRUN_GRANT SRUN_ID

top=$(cd "$(dirname "$0")/.." && pwd -P) || exit 1
srun=${SRUN_BIN:-$top/srun}
case $srun in
/*) ;;
*) srun=$PWD/$srun ;;
esac
base=$(mktemp -d "${TMPDIR:-/tmp}/t-srun-demo.XXXXXX") && base=$(cd "$base" && pwd -P) || exit 1
trap 'rm -rf "$base"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

green='' red='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
	green=$(printf '\033[32m') red=$(printf '\033[31m') plain=$(printf '\033[0m')
fi
shown=0
wrong=0

# line COMMAND COLOUR OUTCOME
line() {
	printf '  %-40s %s%s%s\n' "$1" "$2" "$3" "$plain"
}

# fault COMMAND WHAT: not as the grant says
fault() {
	wrong=$((wrong + 1))
	line "$1" "$red" "WRONG: $2"
}

confined() {
	"$srun" -q -f srun.ini -c "$1" >"$base/said" 2>&1 </dev/null
}

allowed() {
	shown=$((shown + 1))
	if confined "$1"; then
		line "$1" "$green" allowed
	else
		fault "$1" "$(head -n 1 "$base/said")"
	fi
}

# The words of an errno in what the command said, or nothing.
errno_text() {
	grep -oE 'Read-only file system|Permission denied|Network (is )?unreachable|Operation not permitted' \
		"$base/said" | head -n 1
}

# refused ERRNO-TEXT COMMAND: it fails under srun with that errno.
refused() {
	shown=$((shown + 1))
	if confined "$2"; then
		fault "$2" 'it succeeded'
	elif ! errno_text | grep -qE "^($1)$"; then
		fault "$2" "$(tail -n 1 "$base/said")"
	else
		line "$2" "$green" "refused: $(errno_text)"
	fi
}

# The same, for what must succeed without srun: a wrong path would look like a refusal.
refused_here() {
	if sh -c "$2" >/dev/null 2>"$base/said"; then
		refused "$1" "$2"
	else
		shown=$((shown + 1))
		fault "$2" "fails without srun too: $(head -n 1 "$base/said")"
	fi
}

# A connection by what is installed; the address is one that nobody has.
network_command() {
	if command -v curl >/dev/null; then
		echo 'curl -sv -m 2 http://198.51.100.1'
	elif command -v wget >/dev/null; then
		echo 'wget -T 2 -O - http://198.51.100.1'
	elif command -v bash >/dev/null; then
		echo "bash -c ': >/dev/tcp/198.51.100.1/80'"
	fi
}

timed_out() {
	shown=$((shown + 1))
	rc=0
	confined "$1" || rc=$?
	if [ "$rc" -eq 124 ]; then
		line "$1" "$green" "ended: timeout, exit status 124"
	else
		fault "$1" "exit status $rc, not 124"
	fi
}

if [ ! -x "$srun" ]; then
	echo "srun demo: there is no '$srun' [make]" >&2
	exit 1
fi
mkdir -p "$base/home/.ssh" "$base/project" && cd "$base/project" || exit 1
export HOME="$base/home"
echo 'not a real key' >"$HOME/.ssh/id_ed25519"
echo 'export A=1' >.envrc
cat >srun.ini <<'END'
[sandbox]
isolation = bwrap
timeout = 2s
[filesystem]
deny_read = @credentials
[network]
mode = none
END

if ! "$srun" -q -f srun.ini true >"$base/said" 2>&1 </dev/null; then
	if grep -q 'isolation unavailable' "$base/said"; then
		echo 'srun demo: srun is built, but bubblewrap cannot work here, so nothing can be refused:'
	else
		echo 'srun demo: srun cannot run a command here:'
	fi
	sed 's/^/  /' "$base/said"
	exit 1
fi

echo "A new project with an .envrc, a home with a key, and this grant:"
paste -s -d ' ' srun.ini | sed 's/ \[/\
[/g' | sed 's/^/  /'
echo "Each command is run as: srun -q -f srun.ini -c 'COMMAND'"
allowed 'echo hello >notes.txt'
allowed 'cat notes.txt /etc/passwd'
# shellcheck disable=SC2016 # for the shell inside
allowed 'echo scratch >"$TMPDIR/scratch"'
refused_here 'Read-only file system' 'touch srun.ini'
refused_here 'Read-only file system' 'echo evil >>.envrc'
refused_here 'Read-only file system' 'touch ~/.profile'
refused 'Read-only file system' 'touch /etc/srun-demo'
refused_here 'Permission denied' 'cat ~/.ssh/id_ed25519'
refused_here 'Permission denied' 'ls ~/.ssh'
network=$(network_command)
if [ -n "$network" ]; then
	refused 'Network (is )?unreachable' "$network"
else
	echo '  (no network line: neither curl, wget nor bash is here)'
fi
refused 'Operation not permitted' 'unshare -U true'
timed_out 'sleep 60'

if [ "$wrong" -ne 0 ]; then
	echo "srun demo: $wrong of $shown commands did not do what the grant says" >&2
	exit 1
fi
echo "srun demo: all $shown commands did what the grant says"
