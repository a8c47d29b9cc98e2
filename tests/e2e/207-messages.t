#!/bin/sh
# messages: what a person meets who does not know srun yet: a refusal says what to write
# instead, and what is made or left out is said.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

grant </dev/null

# ---- options ----

refused '-h' "^srun: unknown option '-h' \[did you mean '--help'\?\]$" -h
refused 'the beginning of an option' "did you mean '--timeout'\?\]$" --time 3s true
refused 'the beginning of two' "did you mean '--deny-read' or '--deny-write'\?\]$" --deny /x true
like '--help says what require does' "$("$SRUN" --help)" 'refuse to run without: fs, deny-set, net, '

# ---- a comment behind a value ----

for line in 'allow_write = /var/tmp # mine' 'deny_read = /srv ; theirs' 'create = a, b #c'; do
	printf '[filesystem]\n%s\n' "$line" | grant
	refused "a comment behind a value: $line" "^srun: $T/grant.ini:2: .*a line of its own" -f "$T/grant.ini" true
done
mkdir "$D/a # b"
echo text >"$D/a # b/f"
printf '[filesystem]\ndeny_read = "%s/a # b"\n' "$D" | grant
denied EACCES 'in quotes it is a name' -- "$TRY" open-read "$D/a # b/f"

# ---- a path of an option is what the shell made of it ----

grant </dev/null
odd="$D/a \$x,y \${HOME}"
mkdir "$odd"
allowed '--allow-write takes $ and commas as they are' --allow-write="$D" -- "$TRY" create "$odd/f0"
run srun_run --allow-write "$odd" -- "$TRY" create "$odd/f"
is 'and as the very directory' "$rc:$out" 0:ok
run srun_run --cwd "$odd" pwd
is '--cwd too' "$rc:$out" "0:$odd"
echo text >"$odd/secret"
run srun_run --deny-read "$odd/secret" -- "$TRY" open-read "$odd/secret"
is '--deny-read too' "$rc:$out" 1:EACCES
refused 'a $ that the shell left is no path' "begins with a '\\$' that no shell replaced" \
	-f "$T/grant.ini" --deny-read '$HOME/secret' true
run srun_run --set 'filesystem.allow_write=${GRANT_DIR}' -- "$TRY" create "$T/from-set"
is '--set is a line of a grant' "$rc:$out" 0:ok

# ---- what is missing ----

refused 'a missing directory, on the command line' "does not exist \[add --set 'filesystem.create=$D/new' to" \
	-f "$T/grant.ini" --allow-write "$D/new" true
# What the hint says works.
run srun_run --allow-write "$D/new" --set "filesystem.create=$D/new" -- "$TRY" create "$D/new/f"
is 'the hint works' "$rc:$out" 0:ok
printf '[filesystem]\nallow_write = %s/new2\n' "$D" | grant
refused 'a missing directory, in a file' "^srun: $T/grant.ini:2: .*\[add 'create = $D/new2' to" -f "$T/grant.ini" true
grant </dev/null
like '--check: a working directory that is missing' "$(srun_run --check --cwd "$D/made")" \
	"^working directory +$D/made \(to be made, writable\)$"
check_not '--check makes none' test -e "$D/made"
run srun_run -v --cwd "$D/made" pwd
like '-v says that it was made' "$err" "working directory '$D/made' made, and stays$"
run srun_run -v --cwd "$D/made" pwd
like 'and only then' "$err" "working directory '$D/made'$"
run srun_run -v --cwd temp pwd
like 'a temporary one' "$err" "\.work' made for this run$"

if is_root; then
	# A user that no database knows, without HOME.
	mkdir -m 755 "$T/bin"
	cp "$SRUN" "$T/bin/srun"
	chmod 755 "$base" "$T"
	run setpriv --reuid 1599 --regid 1599 --clear-groups env -i "$T/bin/srun" -f /dev/null \
		--deny-read '~/x' true
	is 'no home: exit' "$rc" 125
	like 'and which variable would help' "$err" 'HOME holds no absolute path.* \[set HOME\]$'
else
	run env -u HOME "$SRUN" --check
	like 'without HOME the user database is asked, or srun says so' "$rc $err" '^0 |\[set HOME\]$'
fi

# ---- --check ----

mkdir -p "$H/.ssh" "$H/.aws"
printf '[filesystem]\ndeny_read = @credentials\n' | grant
run srun_run --check
like 'a named set is one row' "$out" "^  deny_read +@credentials: [0-9]+ paths, 2 exist here  \[$T/grant.ini:2\]$"
unlike 'without its members' "$out" "$H/.ssh"
run srun_run --check -v
like '-v: each member that exists' "$out" "^  deny_read +$H/.ssh  \[$T/grant.ini:2\]$"
like '-v: each held name with its reason' "$out" "^  held +$W/.envrc  \[a tool runs it "
run srun_run --check
like 'held names are one row a directory' "$out" "^  held +$W/: .*\.envrc .*\.vscode"
unlike 'no command, no row' "$out" '^command'
run srun_run --check touch "a b"
like 'words behind --check are shown' "$out" "^command +touch 'a b' \(not started\)$"
check_not 'and not run' test -e 'a b'

# ---- srun inside srun ----

inside 'control: a command under none inside srun' 'inner' "$SRUN" -q --isolation none echo inner
run srun_run -- "$SRUN" echo inner
is 'auto takes none there' "$rc:$out" 0:inner
like 'and says why' "$err" "isolation 'none' does not enforce: .* \[inside another srun .*the outer one still holds"
run srun_run -- "$SRUN" --isolation bwrap true
is 'a pinned one is refused' "$rc" 125
like 'with the reason' "$err" "isolation unavailable: bwrap: .* \[inside another srun "

# ---- the process that the command sees ----

inside 'the first process is called srun' 'srun srun' \
	sh -c 'printf "%s " "$(cat /proc/1/comm)"; tr -d "\0" </proc/1/cmdline'

# ---- after the run ----

# A grant for the directory in which srun's own state lies: two runs at once change it.
mkdir -m 700 "$D/runtime"
XDG_RUNTIME_DIR=$D/runtime "$SRUN" -f /dev/null --allow-write "$D" -c ': >"$0"; sleep 0.5' "$D/up" 2>"$T/first" &
wait_for 5 test -e "$D/up"
run env XDG_RUNTIME_DIR="$D/runtime" "$SRUN" -f /dev/null --allow-write "$D" true
wait "$!"
is "two runs change srun's own state, of which nothing is said" "$(cat "$T/first")$err" ''

run srun_run git init -q made
if [ "$rc" -eq 0 ]; then
	like 'a new repository: what to do' "$err" "new git directory: .* \[look at them before you use git there\]$"
else
	skip 'a new repository: what to do' 'no git here'
fi

done_testing
