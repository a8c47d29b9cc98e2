#!/bin/sh
# write-cwd: the working directory: the caller's, a named one that is made and stays, a
# temporary one that is removed; and never the root or the home unless a line says so.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

echo | grant
inside "the caller's by default" "$W" -- pwd -P
allowed "it is written" -- "$TRY" create "$W/new"
grant <<-END
	[filesystem]
	write_working_directory = no
END
denied EROFS "write_working_directory = no" -- "$TRY" create "$W/new"

grant <<-END
	[sandbox]
	working_directory = $D/made
END
inside "a missing one is made" "$(each "$D/made" ok)" -- sh -c 'pwd -P; "$1" -k create f' sh "$TRY"
check "and stays" test -f "$D/made/f"
inside "an existing one is used" f -- ls
inside "--cwd is stronger" "$W" --cwd "$W" -- pwd -P
inside "a relative --cwd" "$W/sub" --cwd sub -- pwd -P
check "and that was made too" test -d "$W/sub"

grant_refused "a parent that does not exist" "grant.ini:2: working_directory '$D/no/deep'.*parent" <<-END
	[sandbox]
	working_directory = $D/no/deep
END
check_not "nothing was made" test -e "$D/no"
: >"$D/file"
grant_refused "a file" "grant.ini:2: working_directory '$D/file'.*not a directory" <<-END
	[sandbox]
	working_directory = $D/file
END
echo | grant
denied EROFS "the home has not become writable by it" -- "$TRY" create "$H/f"

grant <<-END
	[sandbox]
	working_directory = temp
END
run srun_run -q -- sh -c 'pwd; ls -A; stat -c %a .; echo 1 >f && cat f; mkdir -m 0 shut'
temp=$(printf '%s\n' "$out" | head -n 1)
is "a temporary one: empty, private, writable" "$(printf '%s\n' "$out" | sed 1d)" "$(each 700 1)"
isnt "it is none of the caller's" "$temp" "$W"
check_not "it is gone afterwards" test -e "$temp"
inside "the caller's directory is then read-only" EROFS -- "$TRY" create "$W/x"

# The root, the home, and what the home is in.
echo | grant
cd / || exit 1
inside "in /: read-only" "$(each / EROFS)" -- sh -c 'pwd; "$1" create "$2/x"' sh "$TRY" "$base"
like "--check says why" "$("$SRUN" -f "$T/grant.ini" --check)" "working directory +/ \(read-only: it is the root directory\)"
cd "$H" || exit 1
denied EROFS "in the home: read-only" -- "$TRY" create "$H/x"
like "--check says why, in the home" "$("$SRUN" -f "$T/grant.ini" --check)" "read-only: it is the home directory"
cd "$base" || exit 1
denied EROFS "above the home: read-only" -- "$TRY" create "$base/x"
like "--check says why, above the home" "$("$SRUN" -f "$T/grant.ini" --check)" "read-only: the home directory is below it"
mkdir "$H/proj"
cd "$H/proj" || exit 1
allowed "below the home: writable" -- "$TRY" create "$H/proj/x"
denied EROFS "and the home itself is not" -- "$TRY" create "$H/x"
ln -s "$H" "$D/home"
cd "$D/home" || exit 1
denied EROFS "the home by a link: read-only" -- "$TRY" create "$H/x"
grant <<-END
	[filesystem]
	allow_write = ~
END
allowed "named, the home is writable" -- "$TRY" create "$H/x"

# A directory that is gone.
mkdir "$D/gone"
cd "$D/gone" || exit 1
rmdir "$D/gone"
echo | grant
refused "a directory that is gone" "directory is gone|working directory" -f "$T/grant.ini" -- true
cd "$W" || exit 1

done_testing
