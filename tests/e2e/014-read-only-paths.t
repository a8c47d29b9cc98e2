#!/bin/sh
# read-only-paths: read_only_paths opens for reading and closes for writing;
# read_write_paths opens for both.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir -p "$D/ro" "$D/rw" "$W/keep/sub"
for dir in "$D" "$D/ro" "$D/rw" "$W/keep" "$W/keep/sub"; do
	echo text >"$dir/f"
done

grant <<-END
	[filesystem]
	deny_read = $D
	read_only_paths = $D/ro, $W/keep
	read_write_paths = $D/rw
END
denied "EACCES|ENOENT" "the closed directory" -- "$TRY" open-read "$D/f"
allowed "read_only_paths inside it is read" -- "$TRY" open-read "$D/ro/f"
denied EROFS "and not written" -- "$TRY" open-write "$D/ro/f"
denied EROFS "nor is anything made there" -- "$TRY" create "$D/ro/new"
allowed "read_write_paths inside it is read" -- "$TRY" open-read "$D/rw/f"
allowed "and written" -- "$TRY" open-write "$D/rw/f"
allowed "and things are made there" -- "$TRY" create "$D/rw/new"
denied EROFS "read_only_paths in a write root is not written" -- "$TRY" open-write "$W/keep/f"
denied EROFS "nor below" -- "$TRY" open-write "$W/keep/sub/f"
denied EBUSY "nor renamed away" -- "$TRY" rename "$W/keep" "$W/moved"
allowed "the write root around it is" -- "$TRY" create "$W/new"

# A single file as well.
echo text >"$W/file"
grant <<-END
	[filesystem]
	read_only_paths = $W/file
	read_write_paths = $D/rw/f
END
denied EROFS "a read-only file in a write root" -- "$TRY" open-write "$W/file"
denied EBUSY "is not removed" -- "$TRY" unlink "$W/file"
allowed "a writable file outside every write root" -- "$TRY" open-write "$D/rw/f"
denied EROFS "its directory is not" -- "$TRY" create "$D/rw/new"

done_testing
