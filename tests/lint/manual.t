#!/bin/bash
# manual: the manual pages are well-formed, and --help, the pages, the table of keys, the
# example and the README speak of the same things.
# shellcheck disable=SC2016 # backquotes are Markdown's
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1

# same NAME A B: the same words, one a line, in any order; says which are on one side only.
same() {
	local left right
	left=$(comm -23 <(sort -u <<<"$2") <(sort -u <<<"$3") | paste -sd ' ')
	right=$(comm -13 <(sort -u <<<"$2") <(sort -u <<<"$3") | paste -sd ' ')
	is "$1" "first only: ${left:-none}; second only: ${right:-none}" \
		"first only: none; second only: none"
}

for page in srun.1 srun.ini.5; do
	check "$page exists" test -s "$page"
	# Whether the manual of another program is installed here says nothing about this page.
	said=$(mandoc -T lint "$page" 2>&1 |
		grep -v -e 'referenced manual not found' -e 'outdated mandoc.db')
	is "mandoc -T lint $page" "$said" ''
	# mandoc takes ".It In the home" for an include file, without a word.
	is "$page: no text that is taken for a macro" "$(grep -nE '^\.(It|Ss|Sh) (In|Is|No|At|Fl|Op|Or|Do|So) [a-z]' "$page" |
		grep -vE '^[0-9]+:\.It Fl ')" ''
done

# ---- options ----

help=$(./srun --help 2>/dev/null)
check "srun --help prints something" test -n "$help"
# an option is named at the start of its line; what is said about it may name others
in_help=$(printf '%s\n' "$help" | sed -n 's/^ *\(-[^ ,]*\(, *-[^ ,]*\)*\).*/\1/p' |
	grep -oE -- '(^|[ ,])-{1,2}[a-zA-Z][a-z-]*' | tr -d ' ,')
# .It Fl f , Fl -grant Ar file
in_page=$(sed -n 's/^\.It Fl/Fl/p' srun.1 2>/dev/null | grep -oE 'Fl -?[A-Za-z][a-z-]*' | sed 's/^Fl /-/')
check "srun --help names options" test -n "$in_help"
same "the options of --help (first) and of srun.1 (second)" "$in_help" "$in_page"

# mentioned: the long options that a text speaks of, but for those in the call of another
# program and --args, which is bubblewrap's.
mentioned() {
	sed -e 's/^\.Fl -\([a-z]\)/--\1/' -e 's/`\(unshare\|bwrap\) [^`]*`//g' |
		grep -oE -- '(^|[^A-Za-z0-9_-])--[a-z][a-z-]*' | grep -oE -- '--[a-z][a-z-]*' |
		grep -vxe --args | sort -u
}
# What is not built yet has a section of its own: as soon as it is built it has to go.
not_built() {
	awk -v want="$1" '/^## / { inside = /^## Not built yet/ } inside == want' README.md
}
for file in README.md SECURITY.md HACKING.md NEWS.md srun.ini.5 srun.ini.example examples/*/*.ini; do
	if [ "$file" = README.md ]; then
		text=$(not_built 0)
	else
		text=$(cat "$file")
	fi
	is "$file speaks of no option that --help has not" \
		"$(mentioned <<<"$text" | grep -vxFe "$in_help" | paste -sd ' ')" ''
done
is "README.md: what is not built yet is not in --help" \
	"$(not_built 1 | mentioned | grep -xFe "$in_help" | paste -sd ' ')" ''
check "README.md has the section" test -n "$(not_built 1)"

# ---- keys ----

# Rows of 'grant_keys[] = {': { "section", "key", …
keys=$(awk '
	/grant_keys\[\] *=/ { inside = 1 }
	inside { text = text $0 " " }
	inside && /^};/ { inside = 0 }
	END {
		while (match(text, /\{ *"[a-z_]+", *"[A-Za-z_*]+"/)) {
			row = substr(text, RSTART, RLENGTH)
			text = substr(text, RSTART + RLENGTH)
			split(row, part, "\"")
			print part[2] "." part[4]
		}
	}' ./*.c)
check "the table of keys was found" test "$(wc -l <<<"$keys")" -gt 20

# Pages: ".Ss [section]" (or .Sh), then ".It Ic key". The names in [env] are the user's.
keys_of_page=$(awk '
	/^\.S[sh] / { section = ""; if (match($0, /\[[a-z_]+\]/)) section = substr($0, RSTART + 1, RLENGTH - 2) }
	/^\.It / && section != "" {
		line = $0
		sub(/^\.It /, "", line)
		n = split(line, word, " ")
		for (i = 1; i <= n; i++)
			if (word[i] ~ /^[a-z][a-z_]*$/ && (word[i - 1] ~ /^(Ic|Cm|Va|Sy|Li|Em|Nm|Dv|,)$/ || i == 1))
				print section "." word[i]
	}' srun.ini.5 2>/dev/null | grep -v '^env\.')
same "the keys of the parser (first) and of srun.ini.5 (second)" \
	"$(grep -v '^env\.' <<<"$keys")" "$keys_of_page"

# The example: [section], then "key = value" or "; key = value".
keys_of_example=$(awk '
	match($0, /^[;#]? ?\[[a-z_]+\]/) { section = substr($0, RSTART, RLENGTH); gsub(/[^a-z_]/, "", section) }
	match($0, /^[;#]? ?[a-z][a-z_]* *=/) {
		key = substr($0, RSTART, RLENGTH)
		gsub(/[^a-z_]/, "", key)
		print section "." key
	}' srun.ini.example 2>/dev/null | grep -v '^env\.')
same "the keys of the parser (first) and of srun.ini.example (second)" \
	"$(grep -v '^env\.' <<<"$keys")" "$keys_of_example"

# Prose: `key = value` in Markdown, ".Ql key = value" in a page.
known=$(printf '%s\nkey\n' "$keys" | sed 's/.*\.//')
for file in README.md SECURITY.md NEWS.md HACKING.md srun.1 srun.ini.5; do
	named=$(sed -n -e 's/^\.Ql \(.*\)/`\1/' -e '/`/p' "$file" |
		grep -oE '`(\[[a-z_]+\] )?[a-z_]+ = ' | grep -oE '[a-z_]+ = ' | sed 's/ = //' | sort -u)
	is "$file: what is set has a key of the parser" "$(grep -vxFe "$known" <<<"$named" | paste -sd ' ')" ''
done

# ---- the mandatory deny set ----

# Rows of deny_set.c: HOME("…", HOME_FILE("…", TREE…("…", GIT("…"; a page: .It of each scope, .Pa.
entries=$(sed -n 's/^    \(HOME\|TREE\|GIT\)[A-Z_]*("\([^"]*\)".*/\1 \2/p' deny_set.c)
check "the table of the deny set was found" test "$(wc -l <<<"$entries")" -gt 90
in_page=$(awk '
	/^\.S[sh] / { inside = /^\.Ss Mandatory deny set/ }
	/^\.It / { scope = /home/ ? "HOME" : /write root/ ? "TREE" : /git dir/ ? "GIT" : "" }
	inside && scope != "" && /^\.Pa / && $2 != ".git" { print scope, $2 }' srun.ini.5)
same "the deny set of the table (first) and of srun.ini.5 (second)" "$entries" "$in_page"

# ---- rooms ----

# HACKING.md: | `file.c`, `other.c` | owns | may touch |
rooms=$(sed -n 's/^| \(`[a-z_]*\.c`[^|]*\)|.*/\1/p' HACKING.md | grep -oE '[a-z_]+\.c')
same "the rooms of HACKING.md (first) and the .c files there are (second)" "$rooms" "$(printf '%s\n' *.c)"
is "each has one row" "$(sort <<<"$rooms" | uniq -d)" ''

# ---- README ----

for file in README.md HACKING.md; do
	check "$file exists" test -s "$file"
	# what stands between backquotes, in a fence, or indented
	targets=$(awk '
		/^ *```/ { fence = !fence; next }
		fence || /^(    |\t)/ { print; next }
		{ n = split($0, part, "`"); for (i = 2; i <= n; i += 2) print part[i] }' "$file" 2>/dev/null |
		grep -oE '(^|[ \t(;])make( +[a-z-]+)?( |$|[;)&|])' | awk '{ print $2 ~ /^[a-z-]+$/ ? $2 : "all" }' |
		sort -u)
	for target in $targets; do
		check "$file: 'make $target' is a target" grep -qE "^([a-z-]+ )*$target( [a-z-]+)*:" Makefile
	done
done
for target in demo check; do
	check "README.md names 'make $target'" grep -q "make $target" README.md
done
for file in LICENSE NOTICE NEWS.md SECURITY.md; do
	check "$file exists" test -s "$file"
done
like "NEWS.md begins with this version" "$(grep -m1 '^## ' NEWS.md)" \
	"$(sed -n 's/^VERSION := //p' Makefile)"

done_testing
