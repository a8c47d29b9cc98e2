#!/bin/sh
# deny-links: links, hard and symbolic, planted by an earlier run or made by the user: none
# leads a later run to write, mask, grant or make anything elsewhere.
# shellcheck disable=SC2034 # naive() reads $naive
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/deny.sh"
git_env

make_repository "$W"
mkdir -p "$D/target" sub
echo text | tee .envrc other "$D/target/file" >/dev/null

# ---- hard links ----
ln .envrc sub/alias
ln .git/config sub/config-alias
mkdir -p node_modules/x
ln .git/hooks/pre-push.sample node_modules/x/hook
echo mine >own
ln own sub/own-alias
grant <<-END
	[filesystem]
	allow_write = $W
	deny_write = $W/own
END
before
denied EROFS "another name of a protected file: written" -- "$TRY" append "$W/sub/alias"
denied EROFS "opened with O_TRUNC" -- "$ATTACK" trunc "$W/sub/alias"
denied EBUSY "replaced" -- "$ATTACK" replace "$W/sub/alias"
denied EROFS "of a git configuration" -- "$TRY" append "$W/sub/config-alias"
denied EROFS "of a file in a protected directory, where nobody scans" -- \
	"$TRY" append "$W/node_modules/x/hook"
denied EROFS "of a file that the grant denies" -- "$TRY" append "$W/sub/own-alias"
denied EXDEV "a new name of a protected file" -- "$TRY" link "$W/.envrc" "$W/new"
denied EXDEV "a new name of a file in a protected directory" -- \
	"$TRY" link "$W/.git/hooks/pre-push.sample" "$W/new"
denied "EROFS|EXDEV" "a name in a protected directory for another file" -- \
	"$TRY" link "$W/other" "$W/.git/hooks/new"
denied EXDEV "a new name by its descriptor" -- "$TRY" link /proc/self/cwd/.envrc "$W/new"
unchanged "the host is as it was"
naive="--ro-bind $W/.envrc $W/.envrc"
naive "control: a bound name alone is written by its other name" "$TRY" append "$W/sub/alias"
rm -f sub/alias sub/config-alias sub/own-alias node_modules/x/hook

grant <<-END
	[filesystem]
	allow_write = $W, $D/alias
END
ln "$W/.envrc" "$D/alias"
refused "a root that is such a name itself" "has no effect" -f "$T/grant.ini" -- true
rm "$D/alias"

# ---- a protected name that is a link: refused, naming it ----
grant <<-END
	[filesystem]
	allow_write = $W
END
for n in .vscode .mcp.json sub/.envrc .git/hooks .git/info .claude .git/commondir; do
	[ ! -e "$W/$n" ] || mv "$W/$n" "$T/aside"
	for to in "$D/target" ../other /nowhere/at/all; do
		ln -s "$to" "$W/$n"
		before
		refused "$n is a link to $to" "'$W/$n' is a link" -f "$T/grant.ini" -- true
		unchanged "$n: nothing was made on the host"
		rm "$W/$n"
	done
	[ ! -e "$T/aside" ] || mv "$T/aside" "$W/$n"
done
mv "$W/.git" "$D/git"
ln -s "$D/git" "$W/.git"
refused "the git directory is a link" "'$W/.git' is a link" -f "$T/grant.ini" -- true
rm "$W/.git"
mv "$D/git" "$W/.git"
mkdir real-hooks
ln -s real-hooks hooks-link
git config core.hooksPath hooks-link
refused "core.hooksPath goes through a link" "'$W/hooks-link' is a link" -f "$T/grant.ini" -- true
git config --unset core.hooksPath
rm hooks-link

# A file where a directory is meant stays what it is.
echo text >.claude
denied EBUSY "a file in the way of a protected name" -- "$ATTACK" replace "$W/.claude"
denied EBUSY "removed" -- "$TRY" unlink "$W/.claude"
rm .claude

# ---- planted by one run, met by the next ----
srun_run -q -- sh -c 'ln -s "$1/target" planted; ln -s "$1" way; ln -s nowhere dangling' sh "$D"
check "control: the first run could plant them" test -L planted
before
grant <<-END
	[filesystem]
	allow_write = $W, $W/planted
END
refused "a grant through it" "goes through the link '$W/planted'" -f "$T/grant.ini" -- true
grant <<-END
	[filesystem]
	allow_write = $W, $W/way/target
END
refused "a grant through a directory of it" "goes through the link '$W/way'" -f "$T/grant.ini" -- true
grant <<-END
	[filesystem]
	allow_write = $W
	deny_write = $W/planted
END
refused "a deny through it" "goes through the link '$W/planted'" -f "$T/grant.ini" -- true
grant <<-END
	[filesystem]
	allow_write = $W
	deny_write = $W/way/absent
END
refused "a missing name through it" "goes through the link '$W/way'" -f "$T/grant.ini" -- true
grant <<-END
	[filesystem]
	allow_write = $W
	deny_write = $W/dangling
END
refused "a deny of a dangling one" "link '$W/dangling'" -f "$T/grant.ini" -- true
grant <<-END
	[filesystem]
	allow_write = $W
	deny_read = $W/planted/file
END
denied "EACCES|EROFS" "a mask through it closes the target" -- "$TRY" open-read "$D/target/file"
grant <<-END
	[filesystem]
	allow_write = $W
	create = $W/way/made
END
run "$SRUN" -f "$T/grant.ini" -- true
isnt "a directory to be made through it" "$rc" 0
grant <<-END
	[sandbox]
	working_directory = $W/planted
	[filesystem]
	allow_write = $W
END
run "$SRUN" -q -f "$T/grant.ini" -- "$TRY" create "$D/target/new"
isnt "a working directory through it is not a write root" "$out" ok
grant <<-END
	[filesystem]
	allow_write = $W
END
denied EROFS "writing through it" -- "$TRY" create "$W/planted/new"
unchanged "the host is as it was, again"

# ---- a directory that cannot be looked into ----
mkdir -p closed/.git/hooks
touch closed/.git/HEAD
chmod 0 closed
if is_root; then
	denied "EROFS|EACCES" "a closed directory is scanned by root" -- "$TRY" create "$W/closed/.git/hooks/new"
else
	held "a closed directory cannot be opened up" EROFS "$TRY" chmod "$W/closed"
fi
chmod 755 closed

done_testing
