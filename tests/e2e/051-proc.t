#!/bin/sh
# proc: /proc shows the run's own processes and nothing of the host's.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

echo | grant
sleep 1000 &
sleeper=$!
trap 'kill "$sleeper" 2>/dev/null; clean_up' EXIT

# shellcheck disable=SC2009 # what is looked for is what ps sees
inside "a process of the host is not seen" 0 -- sh -c 'cat /proc/[0-9]*/comm | grep -c "^sleep$"'
inside "few processes are seen" yes -- sh -c '[ "$(ls -d /proc/[0-9]* | wc -l)" -le 6 ] && echo yes'
denied ESRCH "a process of the host cannot be signalled" -- "$TRY" kill "$sleeper"
is "control: it is there" "$("$TRY" stat "/proc/$sleeper")" ok
inside "its own processes are" yes -- sh -c 'sleep 5 & [ -d "/proc/$!" ] && echo yes; kill $!'
inside "/proc/self works" sh -- sh -c 'read -r x </proc/self/comm; echo "$x"'
inside "its own descriptors are read" text -- sh -c 'echo text >f; exec 3<f; cat /proc/self/fd/3'

inside "the root of the first process is not a way out" EACCES -- "$TRY" readdir /proc/1/root/
inside "its own root is its root" ok -- "$TRY" readdir /proc/self/root/
for what in root cwd exe fd/0 fd/1; do
	inside "/proc/1/$what does not lead anywhere" EACCES -- sh -c '
		"$1" readlink "/proc/1/$2" | sed "s/EPERM/EACCES/"' sh "$TRY" "$what"
done
for what in environ mem maps auxv stack; do
	[ -e "/proc/1/$what" ] || continue
	inside "/proc/1/$what is closed" closed -- sh -c '
		head -c 1 "/proc/1/$1" >/dev/null 2>&1 && echo open || echo closed' sh "$what"
done
inside "the first process is not traced" EPERM -- "$TRY" ptrace 1
inside "a child is (debuggers work)" ok -- "$TRY" ptrace-child

for path in /proc/kcore /proc/keys /proc/timer_list; do
	[ -e "$path" ] || continue
	inside "$path is closed" EACCES -- "$TRY" open-read "$path"
done
for path in /proc/acpi /proc/scsi /sys/firmware; do
	[ -d "$path" ] || continue
	inside "$path is closed" EACCES -- "$TRY" readdir "$path"
done
[ ! -e /proc/sysrq-trigger ] ||
	inside "/proc/sysrq-trigger is not written" no -- sh -c '"$1" open-write /proc/sysrq-trigger >/dev/null && echo yes || echo no' sh "$TRY"

done_testing
