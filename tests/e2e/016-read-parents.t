#!/bin/sh
# read-parents: the directories above the working directory closed. The command starts in
# its working directory all the same, never somewhere else.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir -p "$W/a/b"
echo text >"$W/a/b/f"
echo text >"$W/a/f"
cd "$W/a/b" || exit 1

grant <<-END
	[filesystem]
	deny_read = .., ../..
END
inside "the command is in its directory" "$W/a/b" -- pwd -P
inside "with its files" f -- ls
allowed "which it reads" -- "$TRY" open-read f
allowed "and writes" -- "$TRY" create new
denied "EACCES|ENOENT" "the parent's files are closed" -- "$TRY" open-read "$W/a/f"
denied "EACCES|ENOENT" "by '..' too" -- "$TRY" open-read ../f
inside "the parent lists no more than the way down" b -- ls -A ..
denied EACCES "the closed one above is not listed" -- "$TRY" readdir ../..

# Closed by its own line, with nothing that opens it: said, not started elsewhere.
grant_refused "a working directory that stays closed" \
	"deny_read '\.\.' closes the working directory|deny_read '\.\.'.*working directory" <<-END
	[sandbox]
	working_directory = $W/a/b
	[filesystem]
	write_working_directory = no
	deny_read = ..
END
grant <<-END
	[filesystem]
	write_working_directory = no
	deny_read = ..
	allow_read = .
END
inside "opened for reading alone it starts there" "$(each "$W/a/b" text EROFS)" -- \
	sh -c 'pwd -P; cat f; "$1" create new' sh "$TRY"

done_testing
