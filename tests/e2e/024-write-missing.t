#!/bin/sh
# write-missing: a granted path that does not exist is refused with its line, or made where
# `create` says so; a pattern that matches nothing is never taken for a name.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

grant_refused "allow_write of a missing path" \
	"grant.ini:2: allow_write '$D/new/deep' does not exist .*create" <<-END
	[filesystem]
	allow_write = $D/new/deep
END
grant_refused "allow_read of a missing path" "grant.ini:3: allow_read '$D/new' does not exist" <<-END
	[filesystem]
	deny_read = $D
	allow_read = $D/new
END
grant_refused "read_write_paths and read_only_paths of missing paths: both are told" \
	"grant.ini:2: .*'$D/new1' does not exist" <<-END
	[filesystem]
	read_write_paths = $D/new1
	read_only_paths = $D/new2
END
like "the second too" "$err" "grant.ini:3: .*'$D/new2'"
is "nothing was made" "$(ls -A "$D")" ''

grant <<-END
	[filesystem]
	allow_write = $D/new/deep
	create = $D/new/deep
END
inside "made before the start, and written" ok -- "$TRY" -k create "$D/new/deep/f"
check "it stays, it is the grant's" test -f "$D/new/deep/f"
inside "the directory above is not written" EROFS -- "$TRY" create "$D/new/x"
inside "a second run finds it" f -- ls "$D/new/deep"
rm -r "$D/new"
run srun_run --check
is "--check makes nothing" "$(ls -A "$D") $rc" " 0"

mkdir "$D/root"
grant <<-END
	[filesystem]
	allow_write = $D/root
	create = $D/root/cache/a, $D/root/cache/b
END
inside "several below a write root" "$(each a b)" -- ls "$D/root/cache"

grant_refused "create outside the write roots" "grant.ini:2: create '$D/other' is not in a write root" <<-END
	[filesystem]
	create = $D/other
END
: >"$D/root/file"
grant_refused "create of what is a file" "grant.ini:3: create '$D/root/file' .*not a directory" <<-END
	[filesystem]
	allow_write = $D/root
	create = $D/root/file
END
check_not "and nothing is made" test -e "$D/other"

for pattern in '*.c' 'a?' '[ab]' '**/none'; do
	grant_refused "the pattern '$pattern' that matches nothing" "grant.ini:2: allow_write '$D/root/.*' matches nothing" <<-END
		[filesystem]
		allow_write = $D/root/$pattern
	END
	check_not "'$pattern' is not made" test -e "$D/root/$pattern"
done

# A closed path that is missing is said, for nothing is closed.
grant <<-END
	[filesystem]
	deny_read = $D/absent
END
run srun_run -- true
is "deny_read of a missing path: the run goes on" "$rc" 0
like "and says so" "$err" "grant.ini:2: deny_read '$D/absent' does not exist"
grant <<-END
	[filesystem]
	deny_read = $W/absent
END
denied EEXIST "deny_read of a missing name that the command could make" -- "$TRY" create "$W/absent"

# What is not writable for the caller is read-only, and that is said.
grant <<-END
	[filesystem]
	allow_write = /usr
END
is_root || {
	run srun_run -- "$TRY" create /usr/new
	isnt "a root that the caller cannot write: not written" "$rc" 0
	like "it is said" "$err" "grant.ini:2: '/usr' is not writable for you"
}

done_testing
