#!/bin/sh
# options: --set and the short options are more lines of the grant: a single value is
# overridden, a list grows, and an error says the option.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir -p "$D/a/open" "$D/b" "$D/c/held"
for dir in a a/open b c c/held; do
	echo text >"$D/$dir/f"
done
grant <<-END
	[sandbox]
	timeout = 1h
	[filesystem]
	deny_read = $D/a
END

inside "the file alone" "$(each EACCES ok)" -- sh -c '"$1" open-read "$2/a/f"; "$1" open-read "$2/b/f"' sh "$TRY" "$D"
denied EACCES "--set makes a list grow" --set "filesystem.deny_read=$D/b" -- "$TRY" open-read "$D/b/f"
denied EACCES "and what the file closes stays closed" --set "filesystem.deny_read=$D/b" -- "$TRY" readdir "$D/a"
denied EACCES "--deny-read" --deny-read "$D/b" -- "$TRY" open-read "$D/b/f"
denied EACCES "--deny-read=PATH" --deny-read="$D/b" -- "$TRY" open-read "$D/b/f"
allowed "--allow-read" --allow-read "$D/a/open" -- "$TRY" open-read "$D/a/open/f"
allowed "--allow-write" --allow-write "$D/c" -- "$TRY" create "$D/c/x"
denied EROFS "--deny-write" --allow-write "$D/c" --deny-write "$D/c/held" -- "$TRY" create "$D/c/held/x"
allowed "two of one option" --allow-write "$D/b" --allow-write "$D/c" -- "$TRY" create "$D/b/x"
like "--set overrides a single value" "$("$SRUN" -f "$T/grant.ini" --set sandbox.timeout=5s --check)" '^timeout +5s'
like "--timeout too" "$("$SRUN" -f "$T/grant.ini" --timeout 6s --check)" '^timeout +6s'
like "the last one wins" "$("$SRUN" -f "$T/grant.ini" --timeout 6s --timeout 7s --check)" '^timeout +7s'
like "rules name the option" "$("$SRUN" -f "$T/grant.ini" --deny-read "$D/b" --check)" "deny_read +$D/b  \[--deny-read\]"

# bad OPTION... : refused, the message names the first word
bad() {
	refused "$*" "^srun: .*$1" -f "$T/grant.ini" "$@" -- true
}
bad --set "filesystem.deny_raed=$D/b"
like "with the nearest name" "$err" "did you mean 'deny_read'"
bad --set "filesytem.deny_read=$D/b"
bad --set "filesystem.deny_read"
bad --set "deny_read=$D/b"
bad --set "sandbox.timeout=soon"
bad --allow-write "$D/absent"
bad --allow-read ''
bad --net sometimes
bad --timeout -3s
bad --deny-reed "$D/b"
like "with the nearest option" "$err" "did you mean '--deny-read'"
bad --keep-fd
bad --env =x
bad --require everything
bad --isolation firejail
bad -x
refused "an option without its value at the end" "--cwd needs" -f "$T/grant.ini" --cwd
refused "two grants" "exclude each other" -f "$T/grant.ini" --grant-fd 0 -- true
refused "no command" "no command" -f "$T/grant.ini"
refused "no command after --" "no command" -f "$T/grant.ini" --

inside "options end at the command" "-f --check" -- echo -f --check
inside "at the first operand" "--check" echo --check
inside "-c takes all that follows" "name -x --check" -c 'echo "$0 $@"' name -x --check
inside "-c with a shell of the grant" "a b" --set sandbox.shell=/bin/sh -c 'echo a b'
run "$SRUN" --help
is "--help: exit 0, stdout" "$rc $(printf '%s\n' "$out" | grep -c '^usage: srun')$err" "0 1"
run "$SRUN" --version
like "--version" "$rc $out" '^0 srun [0-9]+\.[0-9]+'

done_testing
