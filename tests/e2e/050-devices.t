#!/bin/sh
# devices: the minimal /dev, and one more node where the grant names it.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

echo | grant
for node in null zero full random urandom; do
	allowed "/dev/$node is read" -- "$TRY" open-read "/dev/$node"
	allowed "/dev/$node is opened for writing" -- "$TRY" open-write "/dev/$node"
done
inside "what is in /dev" "core fd full null ptmx pts random shm stderr stdin stdout tty urandom zero" -- \
	sh -c 'echo $(ls -A /dev | grep -v "^console\$")'
inside "bytes come and go" "$(each 4 4)" -- sh -c 'head -c 4 /dev/zero | wc -c; echo x >/dev/null; head -c 4 /dev/urandom | wc -c'
inside "/dev/full is full" ENOSPC -- sh -c 'echo x 2>/dev/null >/dev/full || echo ENOSPC'
inside "/dev/shm is the run's own, empty and written" ok -- sh -c '[ -z "$(ls -A /dev/shm)" ] && echo 1 >/dev/shm/x && echo ok'
check_not "and nothing of it stays" test -e /dev/shm/x
inside "/dev/fd works" text -- sh -c 'echo text | cat /dev/fd/0'
inside "/dev/stderr works" text -- sh -c 'echo text >/dev/stderr'
inside "a terminal can be made" ok -- sh -c 'exec 3<>/dev/ptmx && echo ok'

node=
for n in /dev/loop-control /dev/fuse /dev/net/tun /dev/kmsg /dev/kvm /dev/rtc0 /dev/mem; do
	[ -c "$n" ] && node=$n && break
done
if [ -n "$node" ]; then
	inside "$node is not there" ENOENT -- "$TRY" stat "$node"
	grant <<-END
		[filesystem]
		devices = minimal, $node
	END
	inside "named, it is" "$(stat -c %t:%T "$node")" -- stat -c %t:%T "$node"
	inside "and it is the device" "$("$TRY" open-read "$node" 2>&1)" -- "$TRY" open-read "$node"
	inside "and the minimal ones are there" ok -- "$TRY" open-write /dev/null
else
	skip "a named device" "this host has none of those that are looked for"
fi

grant_refused "a node that is missing" "grant.ini:2: devices '/dev/t-srun-none'" <<-END
	[filesystem]
	devices = /dev/t-srun-none
END
grant_refused "a path that is no device" "grant.ini:2: devices '/etc/passwd'" <<-END
	[filesystem]
	devices = /etc/passwd
END
grant_refused "a path rule for /dev" "grant.ini:2: allow_write '/dev/null' cannot be held .*devices" <<-END
	[filesystem]
	allow_write = /dev/null
END
echo | grant
is_root && {
	denied "EPERM|EACCES|EROFS" "no device is made, by root neither" -- sh -c '
		mknod "$1/node" c 1 3 2>/dev/null && rm "$1/node" && echo ok && exit 0; echo EPERM; exit 1' sh "$W"
}

done_testing
