#!/bin/sh
# links: a granted path that goes through symbolic links means their target; by the link and
# by the target it is the same.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir -p "$D/real/sub" "$D/other"
echo text >"$D/real/f"
echo text >"$D/other/f"
ln -s real "$D/to-dir"
ln -s "$D/real/f" "$D/to-file"
ln -s to-dir "$D/chain2"
ln -s "$D/chain2/sub/.." "$D/chain1"
ln -s "$D/absent" "$D/dangling"
ln -s loop2 "$D/loop1"
ln -s loop1 "$D/loop2"

for link in to-dir chain1 chain2 to-dir/; do
	grant <<-END
		[filesystem]
		allow_write = $D/$link
	END
	allowed "allow_write = $link: written by the link" -- "$TRY" create "$D/$link/new"
	allowed "allow_write = $link: written by the target" -- "$TRY" create "$D/real/new"
	denied EROFS "allow_write = $link: not what is beside" -- "$TRY" create "$D/other/new"
	grant <<-END
		[filesystem]
		deny_read = $D/$link
	END
	denied EACCES "deny_read = $link: closed by the link" -- "$TRY" open-read "$D/$link/f"
	denied EACCES "deny_read = $link: closed by the target" -- "$TRY" open-read "$D/real/f"
	denied EACCES "deny_read = $link: closed by another link" -- "$TRY" open-read "$D/to-file"
done

grant <<-END
	[filesystem]
	allow_write = $D/to-file
END
allowed "a link to a file: written by the link" -- "$TRY" append "$D/to-file"
allowed "a link to a file: written by the target" -- "$TRY" append "$D/real/f"
denied EROFS "a link to a file: its directory is not" -- "$TRY" create "$D/real/new"
denied EROFS "a link to a file: the link is not replaced" -- "$TRY" rename "$D/to-file" "$D/moved"

like "--check names what is meant" "$("$SRUN" -f "$T/grant.ini" --check)" \
	"allow_write +$D/real/f \(written '$D/to-file'\)  \[$T/grant.ini:2\]"

# Through a closed directory: the links on the way are there, and no more.
mkdir "$D/shut"
ln -s "$D/real" "$D/shut/way"
ln -s "$D/other" "$D/shut/beside"
grant <<-END
	[filesystem]
	deny_read = $D/shut
	allow_read = $D/shut/way
END
allowed "a link in a closed directory, granted" -- "$TRY" open-read "$D/shut/way/f"
denied "EACCES|ENOENT" "another link there" -- "$TRY" open-read "$D/shut/beside/f"
grant <<-END
	[filesystem]
	deny_read = $D/real
	allow_read = $D/to-dir/f
END
allowed "a file opened by a link inside what is closed by its target" -- "$TRY" open-read "$D/real/f"
denied EACCES "and its directory is closed" -- "$TRY" readdir "$D/real"

grant_refused "a link whose target is missing" "grant.ini:2: allow_write '$D/dangling' does not exist" <<-END
	[filesystem]
	allow_write = $D/dangling
END
grant_refused "links in a circle" "grant.ini:2: allow_read '$D/loop1/x'.*([Ll]oop|levels)" <<-END
	[filesystem]
	allow_read = $D/loop1/x
END
grant_refused "a file as a directory" "grant.ini:2: allow_write '$D/real/f/x'.*[Nn]ot a directory" <<-END
	[filesystem]
	allow_write = $D/real/f/x
END

# The working directory by a link is its target.
cd "$D/to-dir" || exit 1
echo | grant
inside "a working directory entered by a link" "$D/real" -- pwd -P
allowed "is written" -- "$TRY" create "$D/real/new"

done_testing
