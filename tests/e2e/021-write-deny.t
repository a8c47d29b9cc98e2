#!/bin/sh
# write-deny: deny_write inside a write root. Neither what it names nor a directory on the
# way to it can be renamed, removed or replaced, so the protection cannot be carried away.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir -p "$W/a/b/c/sub" "$W/beside/dir"
echo text >"$W/a/b/c/f"
echo text >"$W/a/b/c/sub/f"
echo text >"$W/a/b/file"
echo text >"$W/a/b/free"

grant <<-END
	[filesystem]
	deny_write = $W/a/b/c
	deny_write = $W/a/b/file
END
denied EROFS "a file below it" -- "$TRY" append "$W/a/b/c/f"
denied EROFS "a file further below" -- "$TRY" append "$W/a/b/c/sub/f"
denied EROFS "a new file in it" -- "$TRY" create "$W/a/b/c/new"
denied EROFS "unlink in it" -- "$TRY" unlink "$W/a/b/c/f"
denied EROFS "rename in it" -- "$TRY" rename "$W/a/b/c/f" "$W/a/b/c/g"
denied "EROFS|EXDEV" "rename out of it" -- "$TRY" rename "$W/a/b/c/f" "$W/g"
denied "EROFS|EXDEV" "a link out of it" -- "$TRY" link "$W/a/b/c/f" "$W/g"
denied EROFS "a denied file" -- "$TRY" append "$W/a/b/file"
denied EROFS "its mode" -- "$TRY" chmod "$W/a/b/file"
denied EBUSY "unlink of a denied file" -- "$TRY" unlink "$W/a/b/file"
denied EBUSY "rename over a denied file" -- "$TRY" exchange "$W/a/b/free" "$W/a/b/file"
denied EBUSY "rename of a denied file" -- "$TRY" rename "$W/a/b/file" "$W/a/b/moved"
denied EBUSY "rename of the denied directory" -- "$TRY" rename "$W/a/b/c" "$W/a/b/d"
denied EBUSY "rename of its parent" -- "$TRY" rename "$W/a/b" "$W/a/x"
denied EBUSY "rename of its parent's parent" -- "$TRY" rename "$W/a" "$W/x"
denied EBUSY "exchange of an ancestor with another directory" -- "$TRY" exchange "$W/a" "$W/beside"
denied "EROFS|EBUSY" "rename of the write root" -- "$TRY" rename "$W" "$base/w2"
inside "rmdir of each ancestor" "$(each EBUSY EBUSY EBUSY)" -- sh -c '
	for d in a/b/c a/b a; do "$1" rmdir "$d"; done' sh "$TRY"
inside "rmdir of the write root" EROFS -- sh -c '"$1" rmdir "$2"' sh "$TRY" "$W"

allowed "beside it everything is written" -- "$TRY" append "$W/a/b/free"
allowed "and made, at each level" -- sh -c '"$1" create "$2/a/n" && "$1" mkdir "$2/a/b/n"' sh "$TRY" "$W"
inside "rename between the levels" ok -- sh -c 'mv a/b/free beside/free && mv beside/free a/b/free && echo ok'
inside "directories elsewhere are renamed" ok -- sh -c 'mv beside/dir beside/dir2 && mv beside/dir2 beside/dir && echo ok'
allowed "what is denied is read" -- "$TRY" open-read "$W/a/b/c/f"
is "nothing has changed" "$(cat a/b/c/f a/b/c/sub/f a/b/file)" "$(each text text text)"

# deny_write wins whatever is more specific: said at load.
mkdir "$W/a/b/c/open"
grant_refused "an allow_write inside can have no effect" "allow_write '$W/a/b/c/open'" <<-END
	[filesystem]
	deny_write = $W/a/b/c
	allow_write = $W/a/b/c/open
END
# A write root in a write root under a deny_write that goes through "..".
grant <<-END
	[filesystem]
	deny_write = $W/beside/../a/b
END
denied EROFS "'..' is resolved on the real tree" -- "$TRY" create "$W/a/b/new"

# A name that does not exist and could be made is held.
grant <<-END
	[filesystem]
	deny_write = $W/a/absent
END
denied EEXIST "a deny_write of a missing name in a write root" -- "$TRY" create "$W/a/absent"
# Where the command cannot make it there is nothing to hold.
grant <<-END
	[filesystem]
	deny_write = $D/absent
END
denied EROFS "a deny_write of a missing name elsewhere" -- "$TRY" create "$D/absent"

done_testing
