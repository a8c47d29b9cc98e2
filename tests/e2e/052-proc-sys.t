#!/bin/sh
# proc-sys: kernel settings are not written, though the kernel asks of root only its uid:
# the control shows that a bare bubblewrap leaves the door open.
# user: root
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

[ -x /usr/bin/bwrap ] || skip_all "there is no bubblewrap"
echo | grant
before=$(cat /proc/sys/kernel/core_pattern)

# The helper writes back what it has read, so nothing changes when it succeeds.
is "control: written by bare bubblewrap without a capability" "$(/usr/bin/bwrap --unshare-user \
	--unshare-pid --unshare-net --cap-drop ALL --ro-bind / / --proc /proc "$TRY" core-pattern-write 2>&1)" ok
denied EROFS "core_pattern" -- "$TRY" core-pattern-write
denied EROFS "with the host's network too" --net all -- "$TRY" core-pattern-write
for key in kernel/modprobe kernel/hostname kernel/randomize_va_space vm/drop_caches net/ipv4/ip_forward; do
	[ -e "/proc/sys/$key" ] || continue
	denied EROFS "$key" -- "$TRY" open-write "/proc/sys/$key"
done
inside "for the parent's file by another process directory" EROFS -- "$TRY" open-write /proc/self/root/proc/sys/kernel/core_pattern
inside "settings are read" "$(cat /proc/sys/kernel/ostype)" -- cat /proc/sys/kernel/ostype
[ ! -e /proc/sysrq-trigger ] || denied EROFS "sysrq-trigger" -- "$TRY" open-write /proc/sysrq-trigger
for path in /proc/irq /proc/bus /proc/fs; do
	[ -d "$path" ] || continue
	file=$(find "$path" -type f -perm -200 2>/dev/null | head -n 1)
	[ -z "$file" ] || denied EROFS "$file" -- "$TRY" open-write "$file"
done
file=$(find /sys/kernel /sys/module -maxdepth 3 -type f -perm -200 2>/dev/null | head -n 1)
[ -z "$file" ] || denied EROFS "$file" -- "$TRY" open-write "$file"
is "nothing has changed" "$(cat /proc/sys/kernel/core_pattern)" "$before"

done_testing
