#!/bin/sh
# deny-missing: a name that the grant denies and that does not exist cannot be made, and the
# host shows nothing of it afterwards.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/deny.sh"

echo text >other
mkdir have
grant <<-END
	[filesystem]
	allow_write = $W
	deny_write = $W/.npmrc, $W/have/new, $W/a/b/c
	deny_read = $W/secret, $W/have/hidden/deep
END
before
for n in .npmrc have/new; do
	denied "EEXIST|EROFS" "$n: made" -- "$TRY" create "$W/$n"
	denied "EEXIST|EROFS" "$n: made as a directory" -- "$TRY" mkdir "$W/$n"
	denied "EEXIST|EROFS" "$n: made as a link" -- "$TRY" symlink /tmp/x "$W/$n"
	denied "EBUSY|EXDEV|EISDIR" "$n: renamed onto" -- "$TRY" rename "$W/other" "$W/$n"
	held "$n: removed" EBUSY "$TRY" rmdir "$W/$n"
	held "$n: renamed" EBUSY "$TRY" rename "$W/$n" "$W/$n.away"
done
held "below directories that are missing too: made" EEXIST "$TRY" create "$W/a/b/c"
held "and those are held in their place" EBUSY "$TRY" rename "$W/a" "$W/away"
held "also the one between" "EBUSY|EXDEV" "$TRY" rename "$W/a/b" "$W/away"
held "but writable" ok "$TRY" create "$W/a/b/x"
denied "EEXIST|EROFS" "a closed name: made" -- "$TRY" create "$W/secret"
held "a closed name: looked into" EACCES "$TRY" readdir "$W/secret"
held "a closed name below a missing directory" EACCES "$TRY" readdir "$W/have/hidden/deep"
unchanged "the host is as it was"
run srun_run -q -- sh -c 'echo out >a/b/x'
is "what the command makes beside them stays" "$(cat a/b/x)" out
check_not "and the held name goes" test -e a/b/c
rm -r a

# Where the command cannot make the name either, there is nothing to hold.
grant <<-END
	[filesystem]
	allow_write = $W
	deny_write = $D/absent
END
run srun_run -q -- true
is "outside the write roots" "$rc $err" "0 "
check_not "nothing was made" test -e "$D/absent"
if ! is_root; then
	chmod 555 have
	grant <<-END
		[filesystem]
		allow_write = $W
		deny_write = $W/have/new
	END
	run srun_run -q -- true
	is "in a directory that is not to be written" "$rc $err" "0 "
	chmod 755 have
fi

# --check tells, and makes nothing.
grant <<-END
	[filesystem]
	allow_write = $W
	deny_write = $W/.npmrc
END
before
run srun_run --check
is "--check works" "$rc" 0
unchanged "and makes nothing"

done_testing
