#!/bin/sh
# deny-ancestors: a mount goes with its directory when that is renamed, so every directory
# between a write root and a denied name is held in its place.
# shellcheck disable=SC2016 # scripts are for the shell inside
# shellcheck disable=SC2034 # naive() reads $naive
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/deny.sh"
git_env

make_repository "$W"
make_repository "$W/a/b/nested"
mkdir -p x/y/z
echo text | tee x/y/z/.envrc other >/dev/null
grant <<-END
	[filesystem]
	allow_write = $W
END
before

for d in .git x x/y x/y/z a a/b a/b/nested a/b/nested/.git .git/info; do
	denied EBUSY "$d: renamed away" -- "$TRY" rename "$W/$d" "$W/$d.away"
	denied EBUSY "$d: another made in its place" -- "$ATTACK" swap "$W/$d" y .envrc
	denied EBUSY "$d: exchanged" -- "$ATTACK" exchange "$W/$d" hooks post-checkout
	denied EBUSY "$d: a link in its place" -- "$ATTACK" link-swap "$W/$d" "$W/other"
	held "$d: removed" "EBUSY|ENOTEMPTY" "$TRY" rmdir "$W/$d"
done
mkdir "$W/empty" "$W/.idea"
before
denied EBUSY "an empty directory of the set: removed and made anew" -- "$ATTACK" rmdir-mkdir "$W/.idea" new
denied "EBUSY|ENOTEMPTY" "one that is held while it is missing" -- sh -c 'mkdir "$2" 2>/dev/null
	"$1" rmdir-mkdir "$2" new; rc=$?; rmdir "$2" 2>/dev/null; exit $rc' sh "$ATTACK" "$W/.vscode"
# A race is won in some state of the tree or other: the controls have a tree of their own.
mkdir -p "$D/x/y/z" "$D/.git/hooks"
is "control: one renames, another makes" "$("$ATTACK" race "$D/x" y/z .envrc)" ok
is "control: the same with a git directory" "$("$ATTACK" race "$D/.git" hooks new)" ok
rm -rf "$D/x" "$D/x.race" "$D/.git" "$D/.git.race"
held "one renames, another makes" "EROFS|EBUSY" "$ATTACK" race "$W/x" y/z .envrc
held "the same with the git directory" "EROFS|EBUSY" "$ATTACK" race "$W/.git" hooks new
unchanged "the host is as it was"

# The control: binding the names alone, as scripts do, loses to a rename.
naive="--ro-bind $W/.git/hooks $W/.git/hooks --ro-bind $W/x/y/z/.envrc $W/x/y/z/.envrc"
naive "control: bound names alone lose to a rename" "$ATTACK" swap "$W/.git" hooks new
naive "control: and to an exchange" "$ATTACK" exchange "$W/x" y .envrc

# The write root itself cannot be moved.
for d in "$W" "$(dirname "$W")"; do
	denied "EROFS|EBUSY|EXDEV" "the write root or above: renamed" -- "$TRY" rename "$d" "$d.away"
done

# Two roots, one below the other, and a root whose parent is writable by another line.
grant <<-END
	[filesystem]
	allow_write = $W, $W/x/y, $D
END
mkdir -p "$D/in/ner"
echo text >"$D/in/ner/.envrc"
for d in "$W/x" "$W/x/y" "$W/x/y/z" "$D/in" "$D/in/ner"; do
	denied EBUSY "with several roots: ${d#"$W"/}" -- "$TRY" rename "$d" "$d.away"
done
denied EBUSY "a root inside a root is not exchanged" -- "$ATTACK" exchange "$W/x/y" z .envrc

# ---- against the start of another run ----
# One run swaps a repository for a link to a place outside, all the time; those that start
# meanwhile find it, hold names in it, mount on it. None of that may reach the place outside.
rm -rf "$W" "$D"
mkdir "$W" "$D"
cd "$W" || exit 1
make_repository "$D/victim"
grant <<-END
	[filesystem]
	allow_write = $W
END
mkdir moved
before
"$SRUN" -q -f "$T/grant.ini" -- sh -c 'git init -q moved && exec "$@"' sh \
	"$ATTACK" swapping "$W/moved" "$D/victim" 6000 >"$T/swapping" 2>&1 &
pid=$!
wait_for 5 test -d moved/.git -o -d moved.swap
states='' i=0
while [ $((i += 1)) -le 25 ]; do
	rc=0
	got=$("$SRUN" -q -f "$T/grant.ini" -- "$TRY" create "$W/moved/.git/hooks/new" 2>"$T/err.$i") || rc=$?
	got2=$("$SRUN" -q -f "$T/grant.ini" -- "$TRY" create "$D/victim/new" 2>/dev/null)
	case "$rc $got $got2" in
	*' ok') states="$states outside-was-written" ;;
	'1 EROFS '* | '1 ENOENT '* | '125  '*) ;;
	# It was a link when the run began, and is a directory now: new to the run.
	'0 ok '*) ;;
	# As before, after a run for which it was so.
	'1 EEXIST '*) ;;
	*) states="$states '$rc $got $got2'" ;;
	esac
done
kill "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
is "runs that start while another swaps a directory for a link" "$states" ""
rm -rf "$W/moved" "$W/moved.swap"
mkdir "$W/moved"
unchanged "nothing outside was made, changed or left"

# What a run is shown of .git/info/exclude is read when it starts: never through a link that
# another run puts there at that moment.
mkdir "$D/shut"
echo secret >"$D/shut/key"
grant <<-END
	[filesystem]
	allow_write = $W
	deny_read = $D/shut
END
denied_line=$(srun_run -q cat "$D/shut/key" 2>&1)
like "what is closed cannot be read" "$denied_line" 'Permission denied'
"$SRUN" -q -f "$T/grant.ini" -- sh -c '
	git init -q new && mkdir -p new/.git/info && cd new/.git/info &&
	echo "# a text" >exclude && ln -s "$2" link && exec "$1" flip exclude link 8000' sh \
	"$ATTACK" "$D/shut/key" >"$T/flip" 2>&1 &
pid=$!
wait_for 5 test -L new/.git/info/link -o -L new/.git/info/exclude
seen='' i=0
while [ $((i += 1)) -le 100 ] && kill -0 "$pid" 2>/dev/null; do
	seen="$seen$(srun_run -q sh -c 'cat new/.git/info/*' 2>/dev/null | grep secret)"
done
kill "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
is "nor by way of a link at info/exclude" "$seen" ''

done_testing
