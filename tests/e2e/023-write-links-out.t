#!/bin/sh
# write-links-out: link(2) gives no file a name where it could be written or read.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

echo text >"$D/f"
echo secret >"$D/closed"
mkdir "$D/dir"
echo secret >"$D/dir/f"

grant <<-END
	[filesystem]
	deny_read = $D/closed, $D/dir
END
denied "EXDEV|EPERM|EROFS" "of a read-only file" -- "$TRY" link "$D/f" "$W/f"
denied "EXDEV|EPERM|EROFS" "of a closed file" -- "$TRY" link "$D/closed" "$W/f"
denied "EACCES|EXDEV" "of a file in a closed directory" -- "$TRY" link "$D/dir/f" "$W/f"
inside "by a descriptor and /proc/self/fd" refused -- sh -c '
	exec 3<"$1" && ln -L /proc/self/fd/3 "$2/f" 2>/dev/null && echo made || echo refused' sh "$D/f" "$W"
is "no name was made" "$(ls -A "$W")" ''
is "the file is as it was" "$(cat "$D/f")" text

# A name that exists already in a write root is the grant's own: the inode is written by it.
ln "$D/f" "$W/before"
inside "a link made before is the grant's" ok -- "$TRY" append "$W/before"
denied EROFS "its other name is not written" -- "$TRY" append "$D/f"

done_testing
