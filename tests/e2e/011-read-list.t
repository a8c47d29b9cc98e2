#!/bin/sh
# read-list: deny_read = / and a list of what may be read. Programs of /usr work, also by
# the old names of its directories, and nothing else of the root can be seen.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

echo text >"$D/f"
echo text >"$D/g"
mkdir "$D/dir"
echo text >"$D/dir/f"

allows=
for dir in /usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc/ld.so.cache; do
	[ -e "$dir" ] && allows="$allows${allows:+, }$dir"
done
grant <<-END
	[filesystem]
	deny_read = /
	allow_read = $allows
	allow_read = $HELPERS, $D/f, $D/dir
END

inside "a program of /usr runs" hello -- /usr/bin/echo hello
inside "a program runs by its old name" hello -- /bin/sh -c 'echo hello'
inside "a program found in PATH runs" "$D" -- sh -c 'cd "$1" && pwd' sh "$D"
allowed "a granted file" -- "$TRY" open-read "$D/f"
allowed "a file below a granted directory" -- "$TRY" open-read "$D/dir/f"
allowed "a granted directory is listed" -- "$TRY" readdir "$D/dir"
denied "EACCES|ENOENT" "the file beside the granted one" -- "$TRY" open-read "$D/g"
denied "EACCES|ENOENT" "/etc/passwd" -- "$TRY" open-read /etc/passwd
denied EACCES "the root is not listed" -- "$TRY" readdir /
denied "EACCES|ENOENT" "/var is not listed" -- "$TRY" readdir /var
denied "EACCES|ENOENT|EROFS" "nothing is made in the root's place" -- "$TRY" mkdir "$base/new"
allowed "the working directory can still be written" -- "$TRY" create "$W/new"
allowed "/dev/null can be written" -- "$TRY" open-write /dev/null

for dir in /bin /sbin /lib /lib64; do
	[ -h "$dir" ] || continue
	inside "$dir is the link that it is outside" "$(readlink "$dir")" -- readlink "$dir"
done

# The same list in the opposite order.
grant <<-END
	[filesystem]
	allow_read = $D/f
	allow_read = $HELPERS
	allow_read = $allows
	deny_read = /
END
allowed "the allows first: a granted file" -- "$TRY" open-read "$D/f"
denied "EACCES|ENOENT" "the allows first: the file beside it" -- "$TRY" open-read "$D/g"

# Without the shell's own files there is nothing to run, and that is said.
grant <<-END
	[filesystem]
	deny_read = /
END
run srun_run -- /bin/sh -c 'echo started'
is "nothing granted, nothing run: exit" "$rc" 127
is "nothing granted, nothing run: output" "$out" ''

done_testing
