#!/bin/sh
# spelling: every way to write a path means the same path, and none of them reaches further
# than its normal form. Variables are replaced or an error, never a name.
# shellcheck disable=SC2016,SC2088 # scripts are for the shell inside, '~' is for srun
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir -p "$D/a/b" "$D/c" "$H/x" "$H/y" "$T/g"
echo text >"$D/a/f"
cd "$D/c" || exit 1

for path in "$D/a/" "$D//a" "$D/./a/." "$D/a/b/.." "$D/c/../a" ../a ./../a/b/../; do
	grant <<-END
		[filesystem]
		allow_write = $path
	END
	allowed "allow_write = $path" -- "$TRY" create "$D/a/new"
	denied EROFS "allow_write = $path: not its parent" -- "$TRY" create "$D/new"
done

# A prefix of a name is not the name.
mkdir "$D/ab"
grant <<-END
	[filesystem]
	allow_write = $D/a
	deny_read = $D/ab
END
denied EACCES "a rule on 'a' says nothing about 'ab'" -- "$TRY" readdir "$D/ab"
allowed "and the rule on 'ab' nothing about 'a'" -- "$TRY" open-read "$D/a/f"

grant <<-'END'
	[filesystem]
	allow_write = ~/x
	allow_write = ${HOME}/y
END
allowed "~/x" -- "$TRY" create "$H/x/new"
allowed "\${HOME}/y" -- "$TRY" create "$H/y/new"
denied EROFS "not the home itself" -- "$TRY" create "$H/new"

printf '[filesystem]\nallow_write = ${GRANT_DIR}/g\n' | grant
allowed "\${GRANT_DIR} is the directory of the grant" -- "$TRY" create "$T/g/new"
for path in '${NO_SUCH}/x' '$TMPDIR' '$HOME/x' '${HOME' '~nosuch/q'; do
	grant_refused "allow_write = $path is an error with its line" "grant.ini:2: " <<-END
		[filesystem]
		allow_write = $path
	END
done
is "and makes no such directory" "$(ls -A "$D/c")" ''
unset HOME
grant <<-'END'
	[filesystem]
	allow_write = ~/x
END
if [ "$(id -u)" -eq 0 ] || getent passwd "$(id -u)" >/dev/null; then
	run srun_run --check
	unlike "without HOME '~' is the home of the passwd entry" "$out" "/~/|allow_write +$D"
else
	refused "without HOME and a passwd entry '~' is an error" "grant.ini:2: .*" -f "$T/grant.ini" -- true
fi
export HOME="$H"

# Roots that would open more than they say.
grant <<-END
	[filesystem]
	allow_write = $D/a/../../../../../../../../../..$D/a
END
allowed "'..' above the root stays at the root" -- "$TRY" create "$D/a/new"
denied EROFS "and opens nothing else" -- "$TRY" create "$D/new"

done_testing
