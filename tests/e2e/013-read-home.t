#!/bin/sh
# read-home: the home closed, the project and single files in it open again.
# shellcheck disable=SC2088 # '~' is for srun
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir -p "$H/proj" "$H/.config/Brave" "$H/.config/git" "$H/.vim"
echo text >"$H/proj/f"
echo secret >"$H/.netrc"
echo name >"$H/.config/git/config"
echo cookie >"$H/.config/Brave/f"
echo rc >"$H/.vim/rc"
ln -s .vim/rc "$H/.vimrc"
cd "$H/proj" || exit 1

grant <<-END
	[filesystem]
	deny_read = ~
	allow_read = ~/proj
	allow_write = ~/proj
END
allowed "the project is read" -- "$TRY" open-read f
allowed "the project is written" -- "$TRY" create "$H/proj/new"
denied "EACCES|ENOENT" "a secret of the home is not read" -- "$TRY" open-read "$H/.netrc"
denied EACCES "the home is not listed" -- "$TRY" readdir "$H"
denied "EACCES|EROFS" "nothing is made in the home" -- "$TRY" create "$H/new"
inside "the command is where it was started" "$H/proj" -- pwd -P

# A denied directory that holds another denied one and an opened one.
grant <<-END
	[filesystem]
	deny_read = ~/.config, ~/.config/Brave
	allow_read = ~/.config/git
END
allowed "a directory opened in a closed one" -- "$TRY" open-read "$H/.config/git/config"
denied "EACCES|ENOENT" "the closed one beside it" -- "$TRY" open-read "$H/.config/Brave/f"
denied EACCES "their parent is not listed" -- "$TRY" readdir "$H/.config"

# A link and the directory of its target, both granted, in either order.
for list in '~/.vimrc, ~/.vim' '~/.vim, ~/.vimrc'; do
	grant <<-END
		[filesystem]
		deny_read = ~
		allow_read = $list, ~/proj
	END
	allowed "allow_read = $list: by the link" -- "$TRY" open-read "$H/.vimrc"
	allowed "allow_read = $list: the directory" -- "$TRY" readdir "$H/.vim"
	denied "EACCES|ENOENT" "allow_read = $list: not the rest" -- "$TRY" open-read "$H/.netrc"
done

grant <<-END
	[filesystem]
	deny_read = ~/.netrc
END
denied EACCES "a single file of the home" -- "$TRY" open-read "$H/.netrc"

done_testing
