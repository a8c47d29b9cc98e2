#!/bin/sh
# names: blanks, quotes, newlines, brackets, backslashes and very long names, in a grant and
# in the trees it is about.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

nl='
'
long=$(printf '%0255d' 0)
count=0
for entry in 'with space' ' leading' 'trailing ' "quote'single" 'quote"double' 'star*' 'ask?' \
	'project[1]' 'back\slash' 'back\040slash' 'semi;colon' 'ha#sh' 'equal=s' 'com,ma' '-dash' \
	'tab	tab' "new${nl}line" 'dollar$HOME' 'per%cent' 'ünïcode' "$(printf 'bad\377byte')" "$long"; do
	count=$((count + 1))
	mkdir "$D/$entry" || continue
	echo text >"$D/$entry/f"
	mkdir "$D/$entry/closed"
	echo text >"$D/$entry/closed/f"
done
mkdir "$D/project1" "$D/starred"
echo text >"$D/project1/f"

# ---- in a tree ----
grant <<-END
	[filesystem]
	deny_read = $D
END
inside "a tree with such names is closed" EACCES -- "$TRY" readdir "$D"
grant <<-END
	[filesystem]
	allow_write = $D
END
allowed "a tree with such names is written" -- "$TRY" create "$D/$long/new"
cd "$D/new${nl}line" || exit 1
inside "as a working directory" "f:closed:" -- sh -c 'for i in f closed; do printf "%s:" "$i"; done'
cd "$W" || exit 1

# ---- in a grant ----
# Quoted, with '"' and '\' doubled, a value is taken as it is.
for entry in 'with space' "quote'single" 'star*' 'ask?' 'project[1]' 'back\slash' 'back\040slash' \
	'semi;colon' 'ha#sh' 'equal=s' 'com,ma' '-dash' 'tab	tab' 'per%cent' 'ünïcode' \
	"$(printf 'bad\377byte')" "$long"; do
	short=$(printf %.20s "$entry")
	{
		printf '[filesystem]\n'
		printf 'allow_write = "%s"\n' "$D/$entry"
		printf 'deny_read = "%s"\n' "$D/$entry/closed"
	} | grant
	allowed "'$short': written" -- "$TRY" create "$D/$entry/new"
	denied EACCES "'$short': closed below" -- "$TRY" open-read "$D/$entry/closed/f"
	denied EROFS "'$short': nothing else" -- "$TRY" create "$D/project1/new"
done
denied EROFS "brackets are no class: the other name" -- "$TRY" create "$D/project1/new"

# What a line of a grant cannot say, a working directory can.
for entry in "new${nl}line" 'trailing ' ' leading' 'quote"double' 'dollar$HOME'; do
	cd "$D/$entry" || exit 1
	echo | grant
	allowed "'$(printf %s "$entry" | tr '\n' '?')' as a working directory: written" -- "$TRY" create "$D/$entry/new"
done
cd "$W" || exit 1

# literal: takes a pattern for a name.
printf '[filesystem]\nallow_write = literal:%s\n' "$D/star*" | grant
allowed "literal:" -- "$TRY" create "$D/star*/new"
denied EROFS "literal: is no pattern" -- "$TRY" create "$D/starred/new"

# ---- long paths ----
# path_of LENGTH: below $D
path_of() {
	deep=$D
	while [ $((${#deep} + 402)) -lt "$1" ]; do
		deep=$deep/$(printf '%0200d' 0)
	done
	deep=$deep/$(printf '%0150d' 0)
	deep=$deep/$(printf "%0$(($1 - ${#deep} - 1))d" 0)
}

# Made in steps, since one call takes no more than that.
make_deep() {
	(cd "$D" && IFS=/ && for part in ${deep#"$D/"}; do mkdir -p "$part" && cd "$part" || exit 1; done)
}

# bubblewrap can mount 4,087 bytes, since it puts eight in front; protected names need some.
path_of 4060
make_deep
is "a path of 4,060 bytes" "${#deep}" 4060
printf '[filesystem]\nallow_write = %s\n' "$deep" | grant
run srun_run -q -- sh -c 'cd "$1" && "$2" -k create f && "$2" create ../g' sh "$deep" "$TRY"
is "is granted whole, and not its parent" "$out" "$(each ok EROFS)"
printf '[filesystem]\ndeny_read = %s\n' "$deep" | grant
run srun_run -q -- sh -c 'cd "$1" 2>/dev/null && echo entered || echo refused' sh "$deep"
is "is closed" "$out" refused
# Longer ones arrive whole, and are refused with their line, not cut.
path_of 4095
make_deep
is "a path of 4,095 bytes" "${#deep}" 4095
for key in allow_write deny_read; do
	printf '[filesystem]\n%s = %s\n' "$key" "$deep" | grant
	refused "$key of it is refused with its line" "grant.ini:2: .*4087 bytes" -f "$T/grant.ini" -- true
done
# What is granted above it holds for it.
printf '[filesystem]\nallow_write = %s\n' "$D" | grant
run srun_run -q -- sh -c 'cd "$1" && "$2" -k create f' sh "$deep" "$TRY"
is "a root above it is written down there" "$out" ok
printf '[filesystem]\nallow_write = %s\n' "$deep/x" | grant
refused "more than 4,096 bytes are refused with the line" "grant.ini:2: " -f "$T/grant.ini" -- true

done_testing
