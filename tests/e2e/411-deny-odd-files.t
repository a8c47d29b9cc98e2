#!/bin/sh
# deny-odd-files: where srun reads git's files to see what they name, anything may stand:
# a FIFO does not hang it, a huge file is not read, and neither passes in silence.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/deny.sh"
git_env

make_repository "$W"
grant <<-END
	[filesystem]
	allow_write = $W
END

# within SECONDS NAME: srun is over by then, started or refused.
within() {
	run timeout "$1" "$SRUN" -f "$T/grant.ini" -- true
	case $rc in
	0 | 125) ok "$2: $rc" ;;
	*)
		not_ok "$2"
		diag "exit $rc: $err"
		;;
	esac
}

mkfifo "$T/fifo"
is "control: a FIFO hangs who opens it" "$(timeout 1 cat "$T/fifo"; echo $?)" 124
mkdir -p sub bare/objects bare/refs
: >bare/HEAD
git config include.path extra
for name in .git/config .git/config.worktree .git/commondir .git/info/exclude .git/HEAD .git/extra \
	.gitmodules .envrc .mcp.json sub/.git bare/config bare/commondir; do
	[ ! -e "$W/$name" ] || mv "$W/$name" "$T/aside"
	mkfifo "$W/$name"
	within 10 "$name is a FIFO"
	rm -f "$W/$name"
	[ ! -e "$T/aside" ] || mv "$T/aside" "$W/$name"
done

for name in .git/config .git/extra .git/commondir sub/.git; do
	[ ! -e "$W/$name" ] || mv "$W/$name" "$T/aside"
	truncate -s 10G "$W/$name"
	run timeout 10 "$SRUN" -f "$T/grant.ini" -- true
	is "$name has 10 GiB: refused" "$rc" 125
	like "$name: with its name" "$err" "'$W/$name' is larger than 4 MiB: what git obeys there cannot be found"
	rm -f "$W/$name"
	[ ! -e "$T/aside" ] || mv "$T/aside" "$W/$name"
done

# A file that becomes a FIFO between a look at it and its open.
echo "gitdir: $W/.git" >"$T/file"
cp "$T/file" sub/.git
mkfifo sub/other
"$ATTACK" flip sub/.git sub/other 6000 >"$T/flip" &
flip=$!
n=0 hung=0
while [ "$n" -lt 40 ] && kill -0 "$flip" 2>/dev/null; do
	n=$((n + 1))
	timeout 4 "$SRUN" -f "$T/grant.ini" --check >"$T/out" 2>&1 </dev/null
	[ "$?" -ne 124 ] || hung=$((hung + 1))
done
wait "$flip"
is "control: they did change places" "$(cat "$T/flip")" ok
is "a file that turns into a FIFO hangs nothing" "$hung" 0

done_testing
