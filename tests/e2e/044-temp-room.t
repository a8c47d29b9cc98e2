#!/bin/sh
# temp-room: asking what a grant means makes nothing, and where nothing can be made srun
# says what to do about it, and leaves nothing.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir "$T/temp"
printf '[sandbox]\nworking_directory = temp\n' | grant
for mode in --check --print; do
	run env TMPDIR="$T/temp" "$SRUN" -f "$T/grant.ini" "$mode" -- true
	is "$mode: succeeds" "$rc" 0
	is "$mode: makes nothing" "$(ls -A "$T/temp")" ''
done
for broken in '[filesystem]
allow_write = /absent/at/all' '[filesystem]
allow_writ = /' '[sandbox]
working_directory = /absent/at/all'; do
	printf '%s\n' "$broken" | grant
	run env TMPDIR="$T/temp" "$SRUN" -f "$T/grant.ini" -- true
	is "a grant that is refused: exit" "$rc" 125
	is "a grant that is refused: makes nothing" "$(ls -A "$T/temp")" ''
done

echo | grant
if is_root; then
	# In a mount namespace of the test's own: no place for state or temporary files.
	places() {
		unshare -m sh -c '
			for dir in /tmp /var/tmp /dev/shm; do
				mount -t tmpfs -o "$1" none "$dir" || exit 99
			done
			if [ "$2" = full ]; then
				for dir in /tmp /var/tmp /dev/shm; do
					dd if=/dev/zero of="$dir/fill" bs=4k 2>/dev/null
					while mkdir "$dir/d$((n = n + 1))" 2>/dev/null; do :; done
				done
			fi
			shift 2; n=; "$@"; rc=$?
			find /tmp /var/tmp /dev/shm -name "srun-*" -type d ! -empty
			exit "$rc"' sh "$@" </dev/null
	}
	cp "$T/grant.ini" /etc/srun-test.$$
	# The program too, where no tmpfs covers it.
	mkdir -m 755 "/etc/srun-test.$$.p"
	trap 'rm -rf /etc/srun-test.$$ /etc/srun-test.$$.p; clean_up' EXIT
	cp "$SRUN" "/etc/srun-test.$$.p/srun"
	program="/etc/srun-test.$$.p/srun"
	cd / || exit 1
	run places ro none "$program" -f /etc/srun-test.$$ -- true
	is "read-only /tmp: refused" "$rc" 125
	like "read-only /tmp: says what to do" "$err" "^srun: cannot make '/tmp/srun-0': Read-only file system \[set XDG_RUNTIME_DIR to a directory"
	mkdir -m 700 "/etc/srun-test.$$.d"
	trap 'rm -rf /etc/srun-test.$$ /etc/srun-test.$$.d /etc/srun-test.$$.p; clean_up' EXIT
	run places ro none env XDG_RUNTIME_DIR="/etc/srun-test.$$.d" "$program" -f /etc/srun-test.$$ -- true
	is "with a place for state: refused" "$rc" 125
	like "with a place for state: says what to do" "$err" "^srun: cannot make the temporary directory '/tmp/srun-0': Read-only file system \[set TMPDIR to a directory that you can write\]"
	is "with a place for state: no entry stays" "$(find "/etc/srun-test.$$.d" -name '*.run')" ''
	run places ro none env XDG_RUNTIME_DIR="/etc/srun-test.$$.d" TMPDIR="/etc/srun-test.$$.d" "$program" -q -f /etc/srun-test.$$ -- true
	is "and with a TMPDIR it works" "$rc $err" "0 "
	run places size=64k,nr_inodes=16 full "$program" -f /etc/srun-test.$$ -- true
	is "full disks: refused" "$rc" 125
	like "full disks: says what to do" "$err" "^srun: cannot make '/tmp/srun-0': No space left on device \[make room there, or set XDG_RUNTIME_DIR\]"
	run places size=64k,nr_inodes=16 full env XDG_RUNTIME_DIR="/etc/srun-test.$$.d" "$program" -f /etc/srun-test.$$ -- true
	like "full disks, a place for state: says what to do" "$err" "^srun: cannot make the temporary directory '/tmp/srun-0': No space left on device \[make room, or set TMPDIR to another file system\]"
	is "full disks: nothing half made stays" "$out" ''
fi

done_testing
