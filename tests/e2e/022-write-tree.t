#!/bin/sh
# write-tree: a write root is one tree, as it is bare: files and directories are linked and
# renamed between its directories, and removed with them.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

# same NAME SCRIPT: the same output and exit, bare and confined, from an empty directory
same() {
	rm -rf "$W/bare" "$W/confined"
	mkdir "$W/bare" "$W/confined"
	want=$(cd "$W/bare" && sh -c "$2" 2>&1)
	want_rc=$?
	got=$(cd "$W/confined" && "$SRUN" -q -f "$T/grant.ini" -- sh -c "$2" 2>&1)
	is "$1" "$? $got" "$want_rc $want"
}

echo | grant
same "link and rename between directories" \
	'mkdir a b; echo 1 >a/f; ln a/f b/f; mv a/f b/g; mv b/g a/h; ls -l a b | wc -l; cat a/h b/f'
same "directories are renamed and removed" \
	'mkdir -p d/e; mv d d2; rmdir d2/e; rmdir d2; : >t; truncate -s 0 t; ls'
same "a tree is removed" 'mkdir -p x/y/z; echo 1 >x/y/z/f; chmod 500 x/y/z; chmod 700 x/y/z; rm -r x; ls'
same "special files" 'mkfifo p; ln -s p l; ls -F'
same "a file that is written while it is mapped and renamed" \
	'echo one >f; exec 3<f; echo two >f2; mv f2 f; cat <&3; cat f'
same "modes, umask and times" \
	'umask 027; : >f; mkdir d; chmod 2755 d; touch -d 2001-02-03 f; stat -c "%a %Y" f; stat -c %a d'

# With a protected file inside it is still one tree for the rest.
mkdir -p "$W/top/a/b" "$W/top/c"
echo text >"$W/top/a/b/held"
grant <<-END
	[filesystem]
	deny_write = $W/top/a/b/held
END
inside "a rename that does not cross what is held" ok -- sh -c '
	cd top/c && echo 1 >f && mkdir d && mv f d/g && ln d/g h && mv d e && rm -r e h && echo ok'
inside "in a directory on the way to it" ok -- sh -c '
	cd top/a/b && echo 1 >f && mv f g && ln g h && rm g h && echo ok'

done_testing
