#!/bin/sh
# deny-doors: other ways to a denied name: /proc, descriptors, namespaces, mounts.
# shellcheck disable=SC2016 # scripts are for the shell inside
# shellcheck disable=SC2034 # naive() reads $naive
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/deny.sh"
git_env

make_repository "$W"
echo text | tee .envrc other >/dev/null
mkdir -p "$D/scratch" "$W/scratch"
grant <<-END
	[filesystem]
	allow_write = $W
END
before

# ---- /proc ----
for p in /proc/self/root /proc/thread-self/root /proc/self/task/1/../../root; do
	case $p in
	*task*) held "$p" "EROFS|ENOENT|EACCES" "$TRY" open-write "$p$W/.envrc" ;;
	*) denied EROFS "$p" -- "$TRY" open-write "$p$W/.envrc" ;;
	esac
done
denied EROFS "/proc/self/root, a new name" -- "$TRY" create "/proc/self/root$W/.git/hooks/new"
denied EROFS "/proc/self/cwd" -- "$TRY" open-write /proc/self/cwd/.envrc
denied EROFS "/proc/self/cwd, a new name" -- "$TRY" create /proc/self/cwd/.git/hooks/new
denied EROFS "/proc/self/fd" -- "$ATTACK" proc-fd "$W/.git/hooks" new
denied EROFS "a descriptor opened again by /proc/self/fd" -- "$ATTACK" reopen "$W/.envrc"
denied EROFS "/proc/PID/cwd of a child" -- "$ATTACK" proc-of cwd .git/hooks/new
denied EROFS "/proc/PID/root of a child" -- "$ATTACK" proc-of "root$W" .git/hooks/new
# A descriptor that the shell opens is no door either, its own or a child's.
for way in "proc-of fd/9 new" "inherited 9 new"; do
	# shellcheck disable=SC2086 # several words
	is "control: $way, bare" "$(sh -c 'exec 9<.git/hooks; exec "$@"' sh "$ATTACK" $way)" ok
	# shellcheck disable=SC2086
	held "/proc/PID/fd: $way" EROFS sh -c 'exec 9<.git/hooks; exec "$@"' sh "$ATTACK" $way
done
held "/proc/1/root" "EROFS|EACCES|EPERM" "$TRY" open-write "/proc/1/root$W/.envrc"
held "/proc/1/cwd" "EROFS|EACCES|EPERM|ENOENT" "$TRY" create "/proc/1/cwd$W/.git/hooks/new"
held "/proc/1/exe" "EROFS|EACCES|EPERM|ETXTBSY" "$TRY" open-write /proc/1/exe
held "/proc/self/exe of the helper is not granted" "EROFS|ETXTBSY|EACCES" "$TRY" open-write /proc/self/exe

# ---- descriptors ----
denied EROFS "openat below a directory of one's own" -- "$ATTACK" at "$W" .git/hooks/new
is "control: an inherited directory works bare" "$("$ATTACK" inherited 9 new 9<"$W/.git/hooks")" ok
is "an inherited directory" "$(srun_run -q -- "$ATTACK" inherited 9 new 9<"$W/.git/hooks")" EBADF
is "control: so does one that is stdin" "$("$ATTACK" inherited 0 new <"$W/.git/hooks")" ok
run srun_run -q -- "$ATTACK" inherited 0 new <"$W/.git/hooks"
isnt "a directory that is stdin" "$out" ok
run srun_run -q -- "$ATTACK" inherited 0 new <"$D/scratch"
isnt "a directory that is stdin and not granted" "$out" ok
run srun_run -q --keep-fd 7 -- "$ATTACK" inherited 7 new 7<"$W/.git/hooks"
isnt "a directory that is kept" "$out" ok

# ---- namespaces and mounts ----
held "a user and mount namespace" "EPERM|ENOSPC" "$ATTACK" detach "$W" .envrc "$W/scratch"
held "a user namespace" "EPERM|ENOSPC" "$TRY" unshare user
held "a mount namespace" "EPERM|ENOSPC" "$TRY" unshare mount
held "a user namespace by clone" "EPERM|ENOSPC" "$TRY" clone user
held "umount of a denied name" EPERM "$TRY" umount "$W/.envrc"
held "umount of a denied directory" EPERM "$TRY" umount "$W/.git/hooks"
held "umount of what holds a missing name" EPERM "$TRY" umount "$W/.mcp.json"
held "umount of the write root" EPERM "$TRY" umount "$W"
held "umount of everything" EPERM "$TRY" umount /
held "remount writable" EPERM "$TRY" remount-rw "$W/.envrc"
held "remount of the hooks" EPERM "$TRY" remount-rw "$W/.git/hooks"
held "bind over a denied name" EPERM "$TRY" mount-bind "$W/other" "$W/.envrc"
held "a tmpfs over the write root" EPERM "$TRY" mount tmpfs "$W" tmpfs
held "open_tree" "EPERM|ENOSYS" "$TRY" open-tree "$W/.git"
held "pivot_root" EPERM "$TRY" pivot-root "$W" "$W/scratch"
held "by a file handle" "EPERM|EOPNOTSUPP" "$TRY" open-by-handle "$W/.envrc"
unchanged "the host is as it was"

# The controls: under plain bubblewrap with the names bound read-only these work.
naive="--ro-bind $W/.envrc $W/.envrc"
if is_root; then
	naive "control: root takes the mount away" "$TRY" umount "$W/.envrc"
	naive "control: root makes it writable" "$TRY" remount-rw "$W/.envrc"
	naive "control: root binds over it" "$TRY" mount-bind "$W/other" "$W/.envrc"
fi
naive "control: a namespace of one's own detaches the mount" "$ATTACK" detach "$W" .envrc "$W/scratch"
is "control: and the file on the host is another" "$(cat "$W/.envrc")" ""

done_testing
