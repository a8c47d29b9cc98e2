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

# ---- the README ----

# fenced KIND N: the N-th block of the README that opens with ```KIND.
fenced() {
	awk -v want="$1" -v n="$2" '
		/^```$/ { inside = 0 }
		inside
		$0 == "```" want && ++seen == n { inside = 1 }' "$readme"
}
mkdir -p "$H/.config/srun"
fenced ini 1 >"$H/.config/srun/srun.ini"
fenced ini 2 >"$W/srun.ini"
is 'the README has no third grant' "$(fenced ini 3)" ''
check 'the README has a grant for the home' test -s "$H/.config/srun/srun.ini"
check 'the one of examples/grants/user.ini' \
	cmp "$H/.config/srun/srun.ini" "$TOP/examples/grants/user.ini"
check 'and one for a project' test -s "$W/srun.ini"
check 'the one of examples/grants/project.ini' \
	cmp "$W/srun.ini" "$TOP/examples/grants/project.ini"

# A real project in git, and a home with what the grant has to close.
mkdir "$H/.ssh"
echo 'not a real key' >"$H/.ssh/id_ed25519"
printf '[user]\n\tname = Test\n\temail = test@example.com\n' >"$H/.gitconfig"
printf 'all: program\nprogram: program.txt\n\tcp program.txt program\ncheck: all\n\tcmp program program.txt\n' >Makefile
echo 'text' >program.txt
git init -q . 2>/dev/null
# Not every template of git has it; the README says so.
mkdir -p .git/hooks
git add Makefile program.txt srun.ini
# What the examples call and not every host has.
printf '#!/bin/sh\necho "$PWD: npm $*"\n' >"$T/bin/npm"
chmod +x "$T/bin/npm"

# The commands that the README shows: each succeeds, and srun has nothing to warn of.
# commands BLOCK...: those lines, without what Make and the package manager do.
shown=0
for block in 1 2; do
	fenced sh "$block" | grep '^srun ' >"$T/commands"
	while IFS= read -r command; do
		shown=$((shown + 1))
		# In the first block there is no grant but the built-in one.
		if [ "$block" -eq 1 ]; then
			run env XDG_CONFIG_HOME="$T" sh -c "$command"
		else
			run sh -c "$command"
		fi
		is "README: $command" "$rc:$err" 0:
	done <"$T/commands"
done
is 'the README has these example calls' "$shown" 6
check 'make made the program' cmp program program.txt
is 'git committed' "$(git log --format=%s)" 'made under srun'
check 'the notes were written' test -s notes.txt
run srun --check
is 'the grant in the home is found' "$rc:$err" 0:
like 'and used' "$out" "^grant +$H/.config/srun/srun.ini\$"
like 'with what the README says of it: the credentials' "$out" '^  deny_read +@credentials: [0-9]+ paths, [0-9]+ exist here '
like 'and the directory that may be written anyway' "$out" "^working directory +$W \(writable\)$"
run srun -f srun.ini --check
is '--check succeeds' "$rc" 0
like '--check names the deciding line' "$out" 'allow_write +.* \[srun\.ini:[0-9]+\]'
like '--check says what is not enforced' "$out" '^not enforced +nothing$'

# The refusals that the README shows, without curl, which may not be installed.
said=$(sed -n "s/^\$ srun -c '\(.*\)'\$/\1/p" "$readme")
like 'the README shows a refusal' "$said" '^echo x >>~/\.profile; cat ~/\.ssh/id_ed25519; curl'
check 'control: without srun the key can be read' cat "$H/.ssh/id_ed25519"
check 'control: without srun the home can be written' touch "$H/.profile"
run env XDG_CONFIG_HOME="$T" srun -c "${said%; curl*}"
like 'refused: writing in the home' "$err" "/\.profile: Read-only file system$"
like 'refused: reading a key' "$err" "^cat: .*/\.ssh/id_ed25519: Permission denied$"
is 'the exit status is that of the last command' "$rc" 1
unlike 'srun itself says nothing' "$err" '^srun:'
is 'nothing was written' "$(cat "$H/.profile")" ''
for line in ': cannot create /home/you/.profile: Read-only file system' \
	'cat: /home/you/.ssh/id_ed25519: Permission denied'; do
	check "the README shows what is said: $line" grep -q -e "$line\$" "$readme"
done

cp srun.ini "$T/grant.ini.kept"
# denied and allowed run this: first with the grant beside the project.
of=$W/srun.ini
srun_run() {
	"$SRUN" -f "$of" "$@"
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

# ---- everyday differences ----

# Each row of errno that README and srun.ini(5) name, as it is met with the grant of the home.
of=$H/.config/srun/srun.ini
mkdir -p .idea
echo x >.idea/x
denied EROFS 'EROFS: outside the write roots' -- "$TRY" create "$D/new"
denied EROFS 'EROFS: the mandatory deny set' -- "$TRY" append "$W/.idea/x"
denied EACCES 'EACCES: closed for reading' -- "$TRY" open-read "$H/.ssh/id_ed25519"
denied EBUSY 'EBUSY: a protected name is renamed' -- "$TRY" rename "$W/.idea" "$W/idea"
denied EXDEV 'EXDEV: a link to a protected file' -- "$TRY" link "$W/.idea/x" "$W/x"
run srun sh -c 'echo x >.envrc'
like 'EISDIR: a held name made as a file' "$err" '\.envrc: Is a directory$'
denied EROFS '/tmp is read-only' -- "$TRY" create "${base%/*}/t-srun-new.$$"
rm -f "${base%/*}/t-srun-new.$$"
run srun sh -c ': >"$TMPDIR/x" && ls "$TMPDIR"'
is 'TMPDIR is not' "$rc:$out" 0:x
run srun --keep-fd 7 sh -c 'cat <&7' 7<program.txt
is '--keep-fd hands one on' "$rc:$out" 0:text
run srun sh -c 'cat <&7' 7<program.txt
isnt 'and otherwise it is gone' "$rc" 0
rm -r .idea
run srun git remote add origin ../other
isnt 'git remote add: refused' "$rc" 0
like 'with what the README says' "$err" '\.git/config: Device or resource busy$'
run srun --set filesystem.allow_git_config=yes git remote add origin ../other
is 'and done with allow_git_config' "$rc" 0
main=$(git symbolic-ref --short HEAD)
git checkout -q -b adds && echo x >.envrc && git add .envrc && git commit -qm adds
git checkout -q -b changes && echo y >.envrc && git commit -qam changes
git checkout -q "$main"
run srun git checkout adds
isnt 'git checkout of a branch that adds a held name fails' "$rc" 0
like 'and says which' "$err" "'\.envrc': Device or resource busy"
is 'and leaves no trace' "$(git symbolic-ref --short HEAD) $(git status --porcelain -uno)" "$main "
git checkout -q adds
run srun git checkout changes
like 'one that changes it names it' "$err" "'\.envrc': Device or resource busy"
is 'and leaves it' "$(cat .envrc)" x
git checkout -qf "$main"
touch junk
run srun git clean -fd
is 'git clean passes over held names' "$rc:$err" 0:
check_not 'and cleans' test -e junk
run srun git clean -fdx
is 'git clean -x exits with 1' "$rc" 1
like 'and names them' "$err" '\.envrc/: Device or resource busy'
is 'and git sees no held name' "$(srun git status --porcelain --ignored)" ''
run srun git init -q made
is 'git init works' "$rc" 0
like 'and is said' "$err" "/made/\.git' is a new git directory: "
rm -rf made

# ---- the manual pages ----

# Their grants: each .Bd in EXAMPLES of srun.ini(5) is one that a command runs under.
page=$TOP/srun.ini.5
n=0
while :; do
	n=$((n + 1))
	awk -v n=$n '
		/^\.Sh / { here = /EXAMPLES/ }
		/^\.Ed/ { inside = 0 }
		inside
		here && /^\.Bd/ && ++seen == n { inside = 1 }' "$page" >srun.ini
	[ -s srun.ini ] || break
	# Not every system has this one.
	[ -e /lib64 ] || sed -i 's|, /lib64||' srun.ini
	run srun -f srun.ini -c 'echo runs'
	is "srun.ini(5): example $n" "$rc:$out:$err" 0:runs:
	case $n in
	1) check 'the first is the one of the README' sh -c 'grep "^[^;]" "$1" >"$2"; grep . srun.ini | cmp - "$2"' sh "$H/.config/srun/srun.ini" "$T/plain" ;;
	esac
done
is 'srun.ini(5) has five examples' "$((n - 1))" 5
cp "$T/grant.ini.kept" srun.ini
# Its example of which rule decides, with /srv as a directory of ours.
mkdir -p "$D/db" "$D/www/private" "$D/www/cache/keep"
echo x | tee "$D/db/f" "$D/www/index.html" "$D/www/private/f" >"$D/www/cache/keep/f"
awk '/^\.Ss / { here = /Which rule decides/ } /^\.Ed/ { inside = 0 } inside { print }
	here && /^\.Bd/ { print "[filesystem]"; inside = 1 }' "$page" | sed "s|/srv|$D|" >"$T/rules.ini"
is 'the page has the example' "$(grep -c . "$T/rules.ini")" 6
of=$T/rules.ini
# Of a closed directory in which something is open nothing else is there.
denied ENOENT 'srv/db cannot be read' -- "$TRY" open-read "$D/db/f"
allowed 'srv/www/index.html can' -- "$TRY" open-read "$D/www/index.html"
denied EACCES 'srv/www/private cannot' -- "$TRY" open-read "$D/www/private/f"
allowed 'srv/www/cache can be written' -- "$TRY" create "$D/www/cache/new"
denied EROFS 'srv/www/cache/keep cannot' -- "$TRY" append "$D/www/cache/keep/f"
allowed 'and can be read' -- "$TRY" open-read "$D/www/cache/keep/f"

# The calls of srun(1): .Dl lines that begin with a prompt.
echo text >archived
tar -cf archive.tar archived
rm archived
echo 'echo untrusted' >untrusted.sh
mkdir ../build
sed -n 's/^\.Dl \$ //p' "$TOP/srun.1" | sed -e 's/\\-/-/g' -e 's/\\(dq/"/g' >"$T/commands"
is 'srun(1) has these example calls' "$(grep -c . "$T/commands")" 6
while IFS= read -r command; do
	run env XDG_CONFIG_HOME="$T" sh -c "$command"
	# Not every system has /srv, of which that is said.
	is "srun(1): $command" "$rc:$(printf '%s' "$err" | grep -v "deny_read '/srv' does not exist")" 0:
done <"$T/commands"

# ---- srun.ini.example ----

mkdir "$W/empty"
cd "$W/empty" || exit 1
# What a --check says, but for the names of this run and of the grant.
meaning() {
	sed -e '/^grant /d' -e 's|\(/srun-[0-9]*\)/[a-z2-7]\{8\}|\1/TEMP|' -e 's/  \[[^]]*\]$//'
}
run srun -f "$example" --check
is 'srun.ini.example parses as shipped' "$rc:$err" 0:
shipped=$(meaning <"$T/out")
echo >"$T/empty.ini"
run env -u SRUN_GRANT XDG_CONFIG_HOME="$T" "$SRUN" --check
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
# A port of the host belongs to one run at a time.
sed -i '/^publish_ports/d' "$T/all.ini"
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
