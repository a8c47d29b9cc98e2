#!/bin/sh
# graft: what bubblewrap need not mount is mounted by srun itself, in the sandbox that waits;
# where a kernel or a filter does not let it, bubblewrap mounts everything, and nothing is
# less protected.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir -p .git/hooks .vscode sub/.idea "$D/shut" "$D/open/shut" "$D/both/in"
git init -q . 2>/dev/null || skip_all "there is no git"
echo secret | tee "$D/shut/f" "$D/open/shut/f" >"$D/file"
echo text >"$D/both/in/f"
grant <<-END
	[filesystem]
	deny_read = $D/shut, $D/file, $D/both
	allow_read = $D/both/in
	allow_write = $D/open
	deny_read = $D/open/shut
	deny_write = $W/missing
END

# The same attempts however the mounts are made: mounted inside in vain.
attempts='
	for f in .git/hooks/x .git/config .vscode/x sub/.idea/x .envrc/x .envrc missing/x "/run/graft-$2" \
		/proc/sys/kernel/hostname "/etc/graft-$2" "/dev/shm/graft-$2"; do
		(: >"$f") 2>/dev/null && echo "wrote $f"
	done
	for f in .git .git/hooks .vscode sub .envrc missing; do
		mv "$f" "$f.x" 2>/dev/null && echo "moved $f"
		rmdir "$f" 2>/dev/null && echo "removed $f"
	done
	cat "$1/shut/f" "$1/open/shut/f" "$1/file" /proc/keys 2>/dev/null && echo "read"
	ls "$1/shut" "$1/both" 2>/dev/null
	cat "$1/both/in/f"
	echo y >"$1/open/new" && rm "$1/open/new" && echo z >new && rm new
	ls -A /dev/shm
'
uid=$(id -u)
want=$(printf 'wrote /dev/shm/graft-%s\ntext\ngraft-%s' "$uid" "$uid")
points='awk "{ print \$5 }" /proc/self/mountinfo | sort | sed -E "s,(/srun-[0-9]+)/[a-z2-7]+\$,\1/own,"'

run srun_run -v -- sh -c "$attempts" sh "$D" "$uid"
is "grafted: what is denied is denied" "$out" "$want"
unlike "and no word about it" "$err" "slower"
points_grafted=$(srun_run -q -- sh -c "$points")
like "masks of all kinds are of one file system" \
	"$(srun_run -q -- sh -c 'grep -c " /\(held\|hidden\|closed\|file\) " /proc/self/mountinfo')" '^[1-9][0-9]$'
is "every hold is read-only" "$(srun_run -q -- sh -c 'grep " /held " /proc/self/mountinfo | grep -vc " ro,"')" 0

# The control: the same attempts succeed bare.
mkdir "$T/copy" && cp -a "$W/." "$T/copy"
like "control: bare they succeed" "$(cd "$T/copy" && sh -c "$attempts" sh "$D" "$uid" 2>/dev/null)" \
	'^wrote \.git/hooks/x$'
rm -f "/dev/shm/graft-$uid" "/etc/graft-$uid" "/run/graft-$uid"

for call in setns open_tree move_mount fsopen fsmount mount_setattr openat2; do
	for errno in ENOSYS EPERM; do
		run "$HELPERS/nocall" $call $errno "$SRUN" -v -f "$T/grant.ini" -- sh -c "$attempts" sh "$D" "$uid"
		is "without $call ($errno): the same is denied" "$out" "$want"
		like "without $call ($errno): -v says so" "$err" '^srun: bubblewrap makes every mount, which is slower: '
	done
	is "without $call: the same places are mounted" \
		"$("$HELPERS/nocall" $call EPERM "$SRUN" -q -f "$T/grant.ini" -- sh -c "$points" 2>/dev/null)" "$points_grafted"
	run "$HELPERS/nocall" $call EPERM "$SRUN" -f "$T/grant.ini" -- sh -c 'exit 3'
	is "without $call: no word without -v, and the exit status" "$rc$err" 3
done
# What only the end of it needs: the sandbox is made anew.
run "$HELPERS/nocall" setns EPERM "$SRUN" -q -f "$T/grant.ini" --timeout 200ms -- sleep 20
is "a timeout after that" "$rc" 124
is "nothing is left in the working directory" "$(cd "$W" && echo .[!.]* *)" ".git .vscode sub"

# A mount that srun makes is not for the command to undo, nor to enter.
inside "unmounting a mask" EPERM -- "$TRY" umount "$D/shut"

done_testing
