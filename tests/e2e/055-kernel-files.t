#!/bin/sh
# kernel-files: what of /proc and /sys tells or changes something of the host, or of others'
# processes, and asks of root its uid alone. The controls: root reads it, and a bare
# bubblewrap without capabilities leaves it readable.
# user: root
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

[ -x /usr/bin/bwrap ] || skip_all "there is no bubblewrap"
bare() {
	/usr/bin/bwrap --unshare-user --unshare-pid --unshare-net --cap-drop ALL --ro-bind / / \
		--dev /dev --proc /proc "$@" 2>&1
}

for grant in '' '[filesystem]
allow_write = /'; do
	printf '%s\n' "$grant" | grant
	what=$(printf '%s' "$grant" | tr '\n' ' ')
	open=0
	# These are read eight bytes at a time.
	for name in kpagecgroup kpagecount kpageflags; do
		[ -e "/proc/$name" ] || continue
		set -- sh -c 'dd bs=8 count=1 if="$1" 2>/dev/null | wc -c' sh "/proc/$name"
		is "control: /proc/$name is read" "$("$@") $(bare "$@")" "8 8"
		inside "$what/proc/$name" 0 -- "$@"
		inside "$what/proc/$name: by its mode" EACCES -- "$TRY" open-read "/proc/$name"
	done
	for name in latency_stats pagetypeinfo sched_debug slabinfo \
		timer_list timer_stats vmallocinfo kcore keys; do
		[ -e "/proc/$name" ] || continue
		[ "$(bare "$TRY" open-read "/proc/$name")" != ok ] || open=$((open + 1))
		denied EACCES "$what/proc/$name" -- "$TRY" open-read "/proc/$name"
	done
	isnt "control: most of them are open under a bare bubblewrap" "$open" 0
	# Empty ones are only places where a file system could be mounted.
	for dir in devices/virtual/powercap firmware fs/bpf fs/pstore kernel/config kernel/debug \
		kernel/security kernel/slab kernel/tracing; do
		[ -n "$(ls -A "/sys/$dir" 2>/dev/null)" ] || continue
		denied EACCES "$what/sys/$dir" -- "$TRY" readdir "/sys/$dir"
	done
done

# Nothing else that only root may read is left in /proc.
echo | grant
inside "$what no other file of /proc that is root's alone" '' -- sh -c '
	find /proc -maxdepth 2 ! -path "/proc/[0-9]*" ! -path "/proc/self*" ! -path "/proc/thread-self*" \
		! -path "/proc/sys*" -type f -perm -400 ! -perm -004 2>/dev/null |
		while read -r f; do [ "$("$1" open-read "$f")" != ok ] || echo "$f"; done' sh "$TRY"
inside "nor one that can be written" '' -- sh -c '
	find /proc -maxdepth 3 ! -path "/proc/[0-9]*" ! -path "/proc/self*" ! -path "/proc/thread-self*" \
		! -path "/proc/pressure/*" ! -path /proc/mtrr -type f -perm -200 2>/dev/null |
		while read -r f; do [ "$("$1" open-write "$f")" != ok ] || echo "$f"; done' sh "$TRY"

# A file system that is mounted there.
echo | grant
inside_mount() {
	unshare -m sh -c 'mount -t tmpfs none "$1" && echo text >"$1/f" || exit 99
		shift; exec "$@"' sh "$@"
}
for dir in /sys/kernel/debug /sys/kernel/security /sys/fs/bpf /sys/fs/pstore; do
	[ -d "$dir" ] || continue
	is "control: $dir, mounted, is read" "$(inside_mount "$dir" "$TRY" open-read "$dir/f")" ok
	is "$dir, mounted, is closed" "$(inside_mount "$dir" "$SRUN" -q -f "$T/grant.ini" -- "$TRY" open-read "$dir/f")" EACCES
done

done_testing
