#!/bin/sh
# search: where the grant comes from: the first of -f or --grant-fd, $SRUN_GRANT, the
# user's place, the system's place, the built-in default. Nothing is merged, and a file of
# the project is never looked for.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

# Each grant is told by the variable it sets.
mark() {
	mkdir -p "$(dirname "$1")"
	printf '[env]\nMARK = %s\n' "$2" >"$1"
}
which_grant() {
	"$SRUN" -q "$@" -- sh -c 'echo "${MARK-default}"' 2>&1
}
[ ! -e /etc/srun/srun.ini ] || skip_all "this host has a grant in /etc"

is "none: the built-in default" "$(which_grant)" default
mark "$W/srun.ini" project
mark "$W/.srun.ini" project
is "a file of the project is not looked for" "$(which_grant)" default
mark "$H/.config/srun/srun.ini" home
is "the user's place" "$(which_grant)" home
mark "$D/xdg/srun/srun.ini" xdg
export XDG_CONFIG_HOME="$D/xdg"
is "XDG_CONFIG_HOME" "$(which_grant)" xdg
XDG_CONFIG_HOME=$D/none
is "is used though nothing is there" "$(which_grant)" default
XDG_CONFIG_HOME=relative
is "but not when it is relative" "$(which_grant)" home
unset XDG_CONFIG_HOME
mark "$D/named" variable
export SRUN_GRANT="$D/named"
is "SRUN_GRANT" "$(which_grant)" variable
mark "$D/option" option
is "-f" "$(which_grant -f "$D/option")" option
is "--grant" "$(which_grant --grant "$D/option")" option
is "--grant=FILE" "$(which_grant --grant="$D/option")" option
is "-fFILE" "$(which_grant -f"$D/option")" option
is "--grant-fd" "$(which_grant --grant-fd 7 7<"$D/option")" option
is "-f -" "$(which_grant -f - <"$D/option")" option
is "-f - from a pipe" "$(sed 's/x/x/' "$D/option" | which_grant -f -)" option
mkfifo "$D/fifo"
cat "$D/option" >"$D/fifo" &
is "a fifo" "$(which_grant -f "$D/fifo")" option
SRUN_GRANT=$D/absent
refused "SRUN_GRANT that is missing is an error" "^srun: $D/absent: " -- true
SRUN_GRANT=
is "an empty SRUN_GRANT is none" "$(which_grant)" home
unset SRUN_GRANT
refused "a named file that is missing" "^srun: $D/absent: cannot be opened: no such file" -f "$D/absent" -- true
refused "a directory" "is a directory" -f "$D" -- true
echo '[sandbox' >"$H/.config/srun/srun.ini"
refused "a bad file in the user's place is an error, not the next place" "srun.ini:1: " -- true
rm "$H/.config/srun/srun.ini"

# A relative name, and what belongs to it.
mkdir "$W/sub"
printf '[filesystem]\nallow_write = ${GRANT_DIR}\n' >"$D/here.ini"
cd "$W/sub" || exit 1
inside_out=$("$SRUN" -q -f "../../d/here.ini" -- "$TRY" create "$D/new")
is "\${GRANT_DIR} of a relative name" "$inside_out" ok
is "an empty file is a grant: the defaults of each key" "$(: >"$D/empty"; which_grant -f "$D/empty")" default
"$SRUN" -q -f "$D/empty" -- "$TRY" create "$D/new" >"$T/out" 2>&1
is "and grants no writing" "$(cat "$T/out")" EROFS

# The default: credentials are closed, the rest is read, the working directory written.
mkdir -p "$H/.ssh" "$W/.git"
echo secret >"$H/.ssh/id_rsa"
echo secret >"$H/.netrc"
echo text >"$H/notes"
for file in .ssh/id_rsa .netrc; do
	is "control: ~/$file is read bare" "$("$TRY" open-read "$H/$file")" ok
	is "default: ~/$file is closed" "$("$SRUN" -q -- "$TRY" open-read "$H/$file")" EACCES
done
is "default: the rest of the home is read" "$("$SRUN" -q -- "$TRY" open-read "$H/notes")" ok
is "default: and not written" "$("$SRUN" -q -- "$TRY" open-write "$H/notes")" EROFS
is "default: the working directory is" "$("$SRUN" -q -- "$TRY" create new)" ok
is "default: no network" "$("$SRUN" -q -- "$TRY" send-udp 198.51.100.1 9)" ENETUNREACH
run "$SRUN" -- sh -c 'echo x >/etc/x; cat ~/.ssh/id_rsa; "$1" send-udp 198.51.100.1 9' sh "$TRY"
is "three attempts: the exit is the last one's" "$rc $out" "1 ENETUNREACH"
like "the first error" "$err" "/etc/x: Read-only file system|cannot create /etc/x: (Read-only|Permission)"
like "the second" "$err" "id_rsa: Permission denied"

done_testing
