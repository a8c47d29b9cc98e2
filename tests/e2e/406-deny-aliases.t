#!/bin/sh
# deny-aliases: bind mounts and other file systems of the host inside a write root.
# user: root
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/deny.sh"
git_env

# In a mount namespace of its own: the mounts end with it.
if [ "${IN_NAMESPACE:-}" != yes ]; then
	unshare -m true 2>/dev/null || skip_all "no mounts can be made here"
	rm -rf "$base"
	IN_NAMESPACE=yes exec unshare -m --propagation private sh "$TOP/tests/e2e/406-deny-aliases.t"
fi

make_repository "$W"
mkdir -p hooks-alias git-alias top-alias other-fs "$D/alias"
echo text | tee .envrc one-alias >/dev/null
mount --bind .git/hooks hooks-alias
mount --bind .git git-alias
mount --bind "$W" "$D/alias"
mount --bind .envrc one-alias
mount -t tmpfs none other-fs
make_repository other-fs/repo
grant <<-END
	[filesystem]
	allow_write = $W, $D/alias
END

denied EROFS "hooks by a bind mount" -- "$TRY" create "$W/hooks-alias/new"
denied EROFS "a git directory by one: its hooks" -- "$TRY" create "$W/git-alias/hooks/new"
denied EROFS "a git directory by one: its configuration" -- "$TRY" append "$W/git-alias/config"
denied EROFS "a file by one" -- "$TRY" append "$W/one-alias"
denied EROFS "a whole root by one" -- "$TRY" append "$D/alias/.envrc"
denied EROFS "hooks in a whole root by one" -- "$TRY" create "$D/alias/.git/hooks/new"
denied "EEXIST|EROFS" "a missing name in a whole root by one" -- "$TRY" create "$D/alias/.mcp.json"
denied EROFS "a repository on another file system" -- "$TRY" create "$W/other-fs/repo/.git/hooks/new"
denied "EEXIST|EROFS" "a missing name there" -- "$TRY" create "$W/other-fs/repo/.mcp.json"
allowed "the rest of it is writable" -- "$TRY" create "$W/other-fs/new"

grant <<-END
	[filesystem]
	allow_write = $W, $D/alias
	deny_write = $W/git-alias/objects
END
denied EROFS "what the grant denies, by its other path" -- "$TRY" create "$W/.git/objects/new"
cd /
umount "$W/other-fs" "$W/one-alias" "$D/alias" "$W/git-alias" "$W/hooks-alias"

done_testing
