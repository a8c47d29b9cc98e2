#!/bin/sh
# documents: the README's grant and commands do what the README says, srun.ini.example
# parses as shipped and with every ';' taken off, and the demo succeeds.
. "$(dirname "$0")/../lib.sh"

readme=$TOP/README.md
example=$TOP/srun.ini.example

# The README says 'srun', so that is what it has to be here.
mkdir "$T/bin"
ln -s "$SRUN" "$T/bin/srun"
PATH=$T/bin:$PATH
export PATH

# ---- the README's grant ----

# The first block that opens with ```ini.
fenced() {
	awk '/^```ini$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$readme"
}
fenced >"$W/srun.ini"
check 'the README has a grant' test -s "$W/srun.ini"
check 'the README has the grant of examples/grants/project.ini' \
	cmp "$W/srun.ini" "$TOP/examples/grants/project.ini"

# A real project in git, and a home with what the grant has to close.
mkdir "$H/.ssh"
echo 'not a real key' >"$H/.ssh/id_ed25519"
printf '[user]\n\tname = Test\n\temail = test@example.com\n' >"$H/.gitconfig"
printf 'all: program\nprogram: program.txt\n\tcp program.txt program\n' >Makefile
echo 'text' >program.txt
git init -q . 2>/dev/null
# Not every template of git has it; the README says so.
mkdir -p .git/hooks
git add Makefile program.txt srun.ini

# The commands that the README shows: each succeeds.
grep '^srun -f srun.ini ' "$readme" >"$T/commands"
is 'the README has three example calls' "$(grep -c . "$T/commands")" 3
while IFS= read -r command; do
	check "README: $command" sh -c "$command"
done <"$T/commands"
check 'make made the program' cmp program program.txt
is 'git committed' "$(git log --format=%s)" 'made under srun'
check 'the notes were written' test -s notes.txt
run srun -f srun.ini --check
is '--check succeeds' "$rc" 0
like '--check names the deciding line' "$out" 'allow_write +.* \[srun\.ini:[0-9]+\]'
like '--check says what is not enforced' "$out" '^not enforced +nothing$'

# The command of 'What a refusal looks like', without curl, which may not be installed.
said=$(sed -n "s/^\$ srun -f srun.ini -c '\(.*\)'\$/\1/p" "$readme")
like 'the README shows a refusal' "$said" '^echo x >>~/\.profile; cat ~/\.ssh/id_ed25519; curl'
check 'control: without srun the key can be read' cat "$H/.ssh/id_ed25519"
check 'control: without srun the home can be written' touch "$H/.profile"
run srun -f srun.ini -c "${said%; curl*}"
like 'refused: writing in the home' "$err" "/\.profile: Read-only file system$"
like 'refused: reading a key' "$err" "^cat: .*/\.ssh/id_ed25519: Permission denied$"
is 'the exit status is that of the last command' "$rc" 1
unlike 'srun itself says nothing' "$err" '^srun:'
is 'nothing was written' "$(cat "$H/.profile")" ''

cp srun.ini "$T/grant.ini.kept"
# denied and allowed run this: with the grant beside the project.
srun_run() {
	"$SRUN" -f "$W/srun.ini" "$@"
}
denied EROFS 'the grant itself cannot be written' -- "$TRY" open-write "$W/srun.ini"
denied EROFS 'a git hook cannot be made' -- "$TRY" create "$W/.git/hooks/post-commit"
denied EROFS 'the configuration of git cannot be written' -- "$TRY" open-write "$W/.git/config"
mkdir sub
cd sub || exit 1
allowed 'from a subdirectory the project can be written' -- "$TRY" create "$W/elsewhere"
denied EROFS 'and its hooks cannot' -- "$TRY" create "$W/.git/hooks/post-commit"
cd "$W" || exit 1

# The two errors of the README, from a grant with the two mistakes.
sed -e 's/^allow_write/alow_write/' -e 's/^mode = none/mode = nnone/' srun.ini >"$T/wrong.ini"
cp "$T/wrong.ini" srun.ini
run srun -f srun.ini true
is 'a faulty grant: exit status 125' "$rc" 125
check 'the README shows exactly these errors' sh -c '
	while IFS= read -r line; do grep -qxF -e "$line" "$1" || exit 1; done <"$2"' - "$readme" "$T/err"
is 'both of them' "$(grep -c . "$T/err")" 2
cp "$T/grant.ini.kept" srun.ini

# ---- srun.ini.example ----

mkdir "$W/empty"
cd "$W/empty" || exit 1
# What a --check says, but for the names of this run and of the grant.
meaning() {
	sed -e '/^grant /d' -e 's/srun\.[a-z2-7]\{12\}/srun.TEMP/' -e 's/  \[[^]]*\]$//'
}
run srun -f "$example" --check
is 'srun.ini.example parses as shipped' "$rc:$err" 0:
shipped=$(meaning <"$T/out")
echo >"$T/empty.ini"
run env -u SRUN_GRANT "$SRUN" --check
case $out in
"grant                default"*)
	is 'as shipped it means the built-in default' "$shipped" "$(meaning <"$T/out")"
	;;
*)
	skip 'as shipped it means the built-in default' 'this host has a grant in /etc/srun'
	;;
esac
sed 's/^;//' "$example" >"$T/all.ini"
isnt 'there are keys to be taken off' "$(grep -c '^;' "$example")" 0
run srun -f "$T/all.ini" --check
is 'srun.ini.example parses with every ; taken off' "$rc:$err" 0:
run srun -f "$T/all.ini" -c 'echo "$LC_ALL $(ulimit -n) $(ls)"'
is 'and a command runs under it' "$rc:$out" '0:C.UTF-8 1024 build'
is "and says nothing" "$err" ""

# Each key has its line of text, and those in the text are said to be not built yet.
bare=$(awk '/^;?[a-zA-Z_]+ =/ && previous !~ /^# / && previous !~ /^# .* =/ { print }
	{ previous = $0 }' "$example")
is 'every key has a line about it' "$bare" ''
while IFS= read -r setting; do
	# In the text, so it cannot be used: the run is refused, by name.
	section=$(awk -v want="# $setting" '/^\[/ { s = $0 } $0 == want { print s }' "$example")
	printf '%s\n%s\n' "$section" "$setting" >"$T/one.ini"
	refused "not built yet: $setting" 'is not built yet$' -f "$T/one.ini" true
done <<-END
	$(sed -n 's/^# \([a-z_]* = .*\)/\1/p' "$example")
END

# ---- the demo ----

run env SRUN_BIN="$SRUN" TMPDIR="$T" sh "$TOP/tests/demo.sh"
is 'the demo succeeds' "$rc:$err" 0:
like 'it shows what is allowed' "$out" ' allowed$'
like 'it shows a refused write' "$out" 'refused: Read-only file system$'
like 'it shows a refused read' "$out" 'refused: Permission denied$'
like 'it shows a timeout' "$out" 'timeout, exit status 124$'
check 'it is short' test "$(grep -c . "$T/out")" -le 25
is 'its lines fit a terminal' "$(awk 'length > 80' "$T/out")" ''
is 'it leaves nothing' "$(find "$T" -name 't-srun-demo*')" ''
run env SRUN_BIN="$T/nothing" TMPDIR="$T" sh "$TOP/tests/demo.sh"
is 'without an srun it fails' "$rc" 1

if unshare -U true 2>/dev/null; then
	# Inside we are uid 0, whose directory in /tmp may be that of the real root.
	mkdir -m 700 "$T/runtime"
	run env XDG_RUNTIME_DIR="$T/runtime" unshare -U -r sh -c 'echo 0 >/proc/sys/user/max_user_namespaces
		SRUN_BIN=$1 TMPDIR=$2 exec sh "$3"' sh "$SRUN" "$T" "$TOP/tests/demo.sh"
	is 'where bubblewrap cannot work it fails' "$rc" 1
	like 'and says so' "$out" 'bubblewrap cannot work here'
	like 'and why' "$out" 'user namespaces are switched off'
else
	skip 'where bubblewrap cannot work it says so' 'no user namespaces to switch off'
fi

done_testing
