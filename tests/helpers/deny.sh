# shellcheck shell=sh
# helpers/deny.sh: what the tests of the mandatory deny set share.

# shellcheck disable=SC2034 # the tests use it
ATTACK=$HELPERS/attack

# A directory tree as text: names, kinds, modes, link texts, bytes. Two of it are compared.
tree_state() {
	for tree; do
		(cd "$tree" && find . -printf '%P %y %m %l\n' | sort &&
			find . -type f -exec cksum {} + | sort)
	done
}

# Between these two nothing may change on the host.
before() {
	state_before=$(tree_state "$W" "$H" "$D")
}

unchanged() {
	state_after=$(tree_state "$W" "$H" "$D")
	if [ "$state_before" = "$state_after" ]; then
		ok "$1"
		return
	fi
	not_ok "$1"
	printf '%s\n' "$state_before" >"$T/state.before"
	printf '%s\n' "$state_after" >"$T/state.after"
	diag "$(diff "$T/state.before" "$T/state.after" | head -n 20)"
}

# naive NAME COMMAND...: the control under plain bubblewrap: what a script would write that
# only binds the denied names read-only. The command must succeed there. $naive has options.
naive() {
	name=$1
	shift
	# shellcheck disable=SC2086 # options are words
	got=$(bwrap --bind / / --dev /dev --proc /proc $naive -- "$@" 2>&1 </dev/null)
	rc=$?
	if [ "$rc" -eq 0 ]; then
		ok "$name"
	else
		not_ok "$name"
		diag "got '$got', exit $rc: $*"
	fi
}

# held NAME WANT COMMAND...: only under srun: what it prints there. For attacks whose
# control is another line of the test.
held() {
	name=$1 want=$2
	shift 2
	got=$(srun_run -q -- "$@" 2>"$T/held.err" </dev/null)
	case "|$want|" in
	*"|$got|"*) ok "$name" ;;
	*)
		not_ok "$name"
		diag "got '$got', want '$want': $*"
		diag "$(cat "$T/held.err")"
		;;
	esac
}

git_env() {
	export GIT_CONFIG_NOSYSTEM=1 GIT_CEILING_DIRECTORIES="$base" GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com \
		GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
}

# A repository with one commit.
make_repository() {
	git init -q -b main "$1" && (
		cd "$1" && echo one >one && git add one && git commit -q -m one
	)
}
