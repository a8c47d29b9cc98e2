#!/bin/sh
# sys: a grant to write everything is no grant to write the kernel's files. Root needs only
# its uid for them.
# serial: yes
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

grant <<-END
	[filesystem]
	allow_write = /
	deny_write = $D
END
allowed "allow_write = /: a directory anywhere is written" -- "$TRY" create "$base/new"
denied EROFS "but for a deny_write" -- "$TRY" create "$D/new"
inside "an ancestor of it is not renamed" EBUSY -- "$TRY" rename "$base" "$base.x"
# A file that root may write by its uid.
file=$(find /sys/kernel /sys/module -maxdepth 3 -type f -perm -200 2>/dev/null | head -n 1)
if is_root && [ -n "$file" ]; then
	denied EROFS "$file" -- "$TRY" open-write "$file"
	denied EROFS "core_pattern" -- "$TRY" core-pattern-write
	cd /sys || exit 1
	denied EROFS "with /sys as the working directory: $file" -- "$TRY" open-write "$file"
	echo | grant
	denied EROFS "the same with an empty grant" -- "$TRY" open-write "$file"
	like "--check says so" "$("$SRUN" -f "$T/grant.ini" --check)" "/sys \(read-only: it is the kernel's\)"
fi
inside "/run is hidden all the same" EROFS -- "$TRY" create /run/new
inside "/proc shows the run's own processes" yes -- sh -c '[ "$(ls -d /proc/[0-9]* | wc -l)" -le 6 ] && echo yes'

cd "$W" || exit 1
for path in /proc/self /dev/null /dev; do
	grant_refused "a rule for $path" "grant.ini:2: deny_read '$path' cannot be held" <<-END
		[filesystem]
		deny_read = $path
	END
done
grant_refused "allow_write below /sys" "grant.ini:2: allow_write '/sys/kernel': /sys is never writable" <<-END
	[filesystem]
	allow_write = /sys/kernel
END
grant <<-END
	[filesystem]
	deny_read = /sys
END
denied EACCES "/sys can be closed" -- "$TRY" readdir /sys

done_testing
