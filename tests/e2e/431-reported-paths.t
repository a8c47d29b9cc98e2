#!/bin/sh
# reported-paths: links, slashes and brackets in paths that made other sandboxes of this
# kind fail or open up, as people reported them.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

# sandbox-runtime#185: start-up files that are links to a read-only store: nothing started,
# and nothing said why. bubblewrap cannot hold a link in a write root, so here it is said.
ln -s /usr/lib/os-release "$H/.bashrc"
ln -s /absent/x "$H/.profile"
grant <<-END
	[filesystem]
	allow_write = $H
END
for f in .bashrc .profile; do
	refused "linked start-up files in a write root: $f is named" \
		"'$H/$f' is a link, and bubblewrap cannot keep a link from being replaced .*leave its directory out of allow_write" \
		-f "$T/grant.ini" -- true
done
is "linked start-up files: no link changed" "$(readlink "$H/.bashrc" "$H/.profile")" "$(each /usr/lib/os-release /absent/x)"
mkdir "$H/project"
grant <<-END
	[filesystem]
	allow_write = $H/project
END
allowed "linked start-up files outside the write roots: it starts" -- "$TRY" create "$H/project/new"
denied EROFS "linked start-up files outside: not removed" -- "$TRY" unlink "$H/.bashrc"
denied EROFS "linked start-up files outside: not replaced" -- "$TRY" rename "$H/.profile" "$H/p"
rm "$H/.bashrc" "$H/.profile"

# codex#17079, codex#27354: .git is a link to a place outside the write roots.
mkdir -p "$D/meta/p.git/hooks"
ln -s "$D/meta/p.git" "$W/.git"
grant <<-END
	[filesystem]
	allow_write = $W
END
refused ".git is a link in a write root: it is named" "'$W/.git' is a link, and bubblewrap cannot keep" \
	-f "$T/grant.ini" -- true
grant <<-END
	[filesystem]
	write_working_directory = no
END
inside ".git is a link, read-only: it starts" hooks -- ls "$W/.git/"
denied EROFS ".git is a link: no hook of the target" -- "$TRY" create "$D/meta/p.git/hooks/post-commit"
denied EROFS ".git is a link: not by the link" -- "$TRY" create "$W/.git/hooks/post-commit"
denied EROFS ".git is a link: it is not replaced" -- "$TRY" unlink "$W/.git"
rm "$W/.git"

# bazel#19438: a link was granted, and the directory it leads to stayed read-only.
mkdir "$T/real"
ln -s real "$T/tmp"
grant <<-END
	[filesystem]
	allow_write = $T/tmp
END
allowed "a granted link: written by it" -- "$TRY" create "$T/tmp/a"
allowed "a granted link: written by the target" -- "$TRY" create "$T/real/b"

# sandbox-runtime#576: brackets in the name of a directory became a class.
mkdir "$T/project[1]" "$T/project1"
echo text >"$T/project[1]/secret"
echo text >"$T/project1/secret"
grant <<-END
	[filesystem]
	deny_read = $T/project[1]/secret
	allow_write = $T/project[1]
END
cd "$T/project[1]" || exit 1
denied EACCES "brackets: closed" -- "$TRY" open-read secret
allowed "brackets: written" -- "$TRY" create ok
allowed "brackets: the other name is not closed" -- "$TRY" open-read "$T/project1/secret"
denied EROFS "brackets: nor opened" -- "$TRY" create "$T/project1/new"
cd "$W" || exit 1

# firejail#1388: "dir/" was not "dir".
mkdir -p "$W/d/x" "$W/e"
echo text >"$W/e/f"
grant <<-END
	[filesystem]
	write_working_directory = no
	deny_read = $W/e/
	allow_write = $W/d/
	deny_write = $W/d/x/
	allow_read = $W//e/./f
END
allowed "slashes: allow_write" -- "$TRY" create "$W/d/a"
denied EROFS "slashes: deny_write" -- "$TRY" create "$W/d/x/a"
allowed "slashes: allow_read" -- "$TRY" open-read "$W/e/f"
# The same at the end of a pattern.
grant <<-END
	[filesystem]
	write_working_directory = no
	deny_read = $W/e*/
	allow_write = $W//[d]/./
END
denied EACCES "slashes behind a pattern: deny_read" -- "$TRY" open-read "$W/e/f"
allowed "slashes behind a pattern: allow_write" -- "$TRY" create "$W/d/a"

# firejail#247: a link and the directory that holds its target, both granted.
mkdir "$H/.vim"
echo rc >"$H/.vim/rc"
ln -s .vim/rc "$H/.vimrc"
echo no >"$H/other"
for order in "$H/.vimrc, $H/.vim" "$H/.vim, $H/.vimrc" "$H/.vim*"; do
	grant <<-END
		[filesystem]
		deny_read = $H
		allow_read = $order
	END
	allowed "a link and its directory: by the link" -- cat "$H/.vimrc"
	allowed "a link and its directory: the directory" -- ls "$H/.vim"
	denied "EACCES|ENOENT" "a link and its directory: nothing else" -- "$TRY" open-read "$H/other"
done

# sandbox-runtime#432: "**/" held below the working directory, not in another write root.
mkdir -p "$W/sub" "$T/root2"
echo text | tee "$W/sub/.env" "$W/.env" "$T/root2/.env" >/dev/null
cd "$W/sub" || exit 1
grant_refused "deny_write = **/.env cannot be held, and is not pretended" \
	"grant.ini:3: deny_write '\*\*/.env' cannot be held: .* in '$W/sub'" <<-END
	[filesystem]
	allow_write = $W, $T/root2
	deny_write = **/.env
END
grant <<-END
	[filesystem]
	allow_write = $W, $T/root2
	deny_write = .env, ../.env, $T/root2/.env
END
for f in .env ../.env "$T/root2/.env"; do
	denied EROFS "by name they are held: $f" -- "$TRY" open-write "$f"
done
cd "$W" || exit 1

# bounty-challenge#7193: ".." in a write root.
mkdir -p "$D/one/two" "$D/etc-like/w2" "$W/a/b"
grant <<-END
	[filesystem]
	write_working_directory = no
	allow_write = $D/one/two/../../etc-like/w2, $W/./a//b/..
END
allowed "'..': written" -- "$TRY" create "$D/etc-like/w2/new"
allowed "'..': in the normal form" -- "$TRY" create "$W/a/new"
denied EROFS "'..': not above" -- "$TRY" create "$D/etc-like/new"
denied EROFS "'..': nor where it began" -- "$TRY" create "$D/one/two/new"
ln -s etc-like/w2 "$D/in"
grant <<-END
	[filesystem]
	write_working_directory = no
	allow_write = $D/in/../w?
END
allowed "'..' behind a link, before a pattern" -- "$TRY" create "$D/etc-like/w2/new"
denied EROFS "'..' behind a link: not beside" -- "$TRY" create "$D/etc-like/new"

done_testing
