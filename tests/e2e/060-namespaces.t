#!/bin/sh
# namespaces: no new namespace, no mount and no other root inside a run: each would undo
# what the mounts hold. The controls run where the caller is root of a namespace.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir "$W/point" "$W/new" "$W/new/old"
# What the caller could do bare.
bare() {
	unshare --user --map-root-user --mount "$@" 2>&1 </dev/null
}
is "control: a user namespace can be made bare" "$("$TRY" unshare user)" ok

# refused_call ERRNO NAME TRY-ARG...: bare it works, inside it does not
refused_call() {
	want=$1 what=$2
	shift 2
	got=$(bare "$TRY" "$@")
	if [ "$got" != ok ]; then
		not_ok "$what"
		diag "the control answered '$got'"
		return
	fi
	inside "$what" "$want" -- "$TRY" "$@"
}

echo | grant
for ns in user mount pid net ipc uts cgroup; do
	refused_call EPERM "unshare $ns" unshare "$ns"
	refused_call EPERM "clone $ns" clone "$ns"
done
# Not every kernel has it: the control decides.
[ "$(bare "$TRY" unshare time)" != ok ] || refused_call EPERM "unshare time" unshare time
inside "several at once" EPERM -- "$TRY" unshare user,mount,pid
inside "a plain clone works" ok -- "$TRY" clone 0
inside "clone3, whose flags a filter cannot see, does not exist" ENOSYS -- "$TRY" clone3
refused_call EPERM "mount" mount none "$W/point" tmpfs
refused_call EPERM "bind" mount-bind "$W/new" "$W/point"
inside "umount" EPERM -- "$TRY" umount /dev/pts
inside "umount of a mask" EPERM -- "$TRY" umount /run
inside "umount of /proc" EPERM -- "$TRY" umount /proc
inside "remount for writing" EPERM -- "$TRY" remount-rw /
refused_call ENOSYS "open_tree" open-tree "$W/new"
refused_call ENOSYS "fsopen" fsopen tmpfs
refused_call EPERM "chroot" chroot "$W/new"
inside "pivot_root" EPERM -- "$TRY" pivot-root "$W/new" "$W/new/old"
for ns in user mnt net pid; do
	inside "setns of its own $ns namespace" EPERM -- "$TRY" setns "/proc/self/ns/$ns"
	inside "setns of the first process's $ns namespace" refused -- sh -c '
		case $("$1" setns "/proc/1/ns/$2") in EPERM | EACCES) echo refused ;; esac' sh "$TRY" "$ns"
done
inside "programs say so too" no -- sh -c 'unshare -Ur true 2>/dev/null && echo yes || echo no'
inside "in a child of a child as well" EPERM -- sh -c 'sh -c "\"$1\" unshare user; true" sh "$1"' sh "$TRY"
inside "reading a file by its handle" EPERM -- sh -c ': >f; "$1" open-by-handle "$2/f"' sh "$TRY" "$W"

# With a /tmp of its own, since srun keeps its state there.
grant <<-END
	[sandbox]
	temp = tmp
	[filesystem]
	allow_read = $HELPERS, $SRUN
END
run srun_run -q -- "$SRUN" -q --isolation bwrap true
is "srun in srun: bwrap is unavailable" "$rc" 125
like "and says so" "$err" "isolation unavailable: bwrap: "

done_testing
