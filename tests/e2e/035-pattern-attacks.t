#!/bin/sh
# pattern-attacks: what the command, or whoever made the tree, could try so that a pattern
# misses a name: names like patterns, odd names, links, loops, modes, depth, changes.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

nl='
'

# ---- a file of the pattern's own name, made so that the pattern is taken for it ----
echo text >"$W/key.env"
grant <<-END
	[filesystem]
	deny_read = *.env
END
denied EACCES "a pattern in a write root" -- "$TRY" open-read "$W/key.env"
inside "a run makes a file of the pattern's name" '' -- sh -c ': >"*.env"'
check "control: it is there" test -e "$W/*.env"
denied EACCES "the next run: the pattern is still one" -- "$TRY" open-read "$W/key.env"
denied EACCES "and the name is closed too" -- "$TRY" open-read "$W/*.env"
run srun_run -- true
like "and it is said" "$err" "grant.ini:2: deny_read '\*.env' is the name of a file that the command could have made"
grant <<-END
	[filesystem]
	deny_read = literal:*.env
END
run srun_run -- true
is "literal: says which is meant" "$rc $err" "0 "
grant_refused "a deny_write so named is refused all the same" "grant.ini:2: deny_write '\*.env' cannot be held" <<-END
	[filesystem]
	deny_write = *.env
END
rm "$W/*.env"
mkdir "$W/[k]ey"
grant <<-END
	[filesystem]
	deny_read = [k]ey*/x
END
mkdir "$W/key1"
echo text >"$W/[k]ey/x"
echo text >"$W/key1/x"
denied EACCES "a directory of the pattern's name" -- "$TRY" open-read "$W/key1/x"
rm -r "$W/[k]ey" "$W/key1" "$W/key.env"

# ---- what looks like a pattern and is none: the working directory and the home ----
mkdir -p "$D/app/[id]" "$D/app/i" "$D/h*me"
echo text >"$D/app/[id]/k.env"
echo text >"$D/app/i/k.env"
echo text >"$D/h*me/k.env"
mkdir "$D/home"
echo text >"$D/home/k.env"
cd "$D/app/[id]" || exit 1
grant <<-END
	[filesystem]
	deny_write = .env, config
	deny_read = *.env
END
denied "EEXIST|EROFS|EISDIR" "a missing name in a directory with brackets is held" -- "$TRY" create .env
denied EACCES "a pattern there is about that directory" -- "$TRY" open-read "$D/app/[id]/k.env"
allowed "and about no other" -- "$TRY" open-read "$D/app/i/k.env"
grant_refused "a missing path there is missing, no pattern" "allow_write 'build' does not exist" <<-END
	[filesystem]
	allow_write = build
END
cd "$W" || exit 1
HOME="$D/h*me"
grant <<-END
	[filesystem]
	deny_read = ~/*.env, \${HOME}/none
END
denied EACCES "a pattern in a home with a star" -- "$TRY" open-read "$D/h*me/k.env"
allowed "is not about another home" -- "$TRY" open-read "$D/home/k.env"
HOME=$H
rm -r "${D:?}/app" "${D:?}/h*me" "${D:?}/home"

# ---- odd names ----
long=$(printf '%0251d' 0).env
for name in "new${nl}line.env" "$(printf 'bad\377byte.env')" "$long" '*.env' '[a].env' '?.env' \
	' .env' '-f.env' 'a\b.env' 'ü.env' "$(printf 'esc\033[2J.env')" 'a,b.env' "it's.env"; do
	mkdir "$D/odd"
	echo text >"$D/odd/$name"
	echo text >"$D/odd/plain.txt"
	grant <<-END
		[filesystem]
		deny_read = $D/odd/*.en?
	END
	shown=$(printf %.20s "$name" | tr -c '[:print:]' '?')
	denied EACCES "'$shown' is matched" -- "$TRY" open-read "$D/odd/$name"
	allowed "'$shown': not what is beside" -- "$TRY" open-read "$D/odd/plain.txt"
	unlike "'$shown': no control byte in --check" "$("$SRUN" -f "$T/grant.ini" --check | tr -d '\n')" "$(printf '[\001-\037]')"
	rm -r "$D/odd"
done

# ---- links ----
mkdir -p "$D/tree/sub" "$D/far/away"
echo text >"$D/far/away/k.env"
echo text >"$D/tree/sub/k.env"
ln -s ../far "$D/tree/far"
ln -s tree "$D/tree/sub/self"
ln -s "$D/tree" "$D/tree/sub/round"
ln -s ring2 "$D/tree/ring1"
ln -s ring1 "$D/tree/ring2"
ln -s absent "$D/tree/dangling.env"
ln -s sub/k.env "$D/tree/file.env"
grant <<-END
	[filesystem]
	deny_read = $D/tree/**/*.env
END
denied EACCES "loops of links end" -- "$TRY" open-read "$D/tree/sub/k.env"
denied EACCES "what is reached through a link only" -- "$TRY" open-read "$D/far/away/k.env"
denied EACCES "the same by the link" -- "$TRY" open-read "$D/tree/far/away/k.env"
grant <<-END
	[filesystem]
	deny_read = $D/tree/f*
END
denied EACCES "a link to a directory: its target is closed" -- "$TRY" open-read "$D/far/away/k.env"
denied EACCES "a link to a file: its target is closed" -- "$TRY" open-read "$D/tree/sub/k.env"

# A link that the command made: an allow is not led away by it.
ln -s "$D/far" "$W/cache"
echo text >"$D/far/f"
grant_refused "an allow_write through a link in a write root" "grant.ini:2: allow_write 'c\*' goes through the link '$W/cache'" <<-END
	[filesystem]
	allow_write = c*
END
grant_refused "an allow_read as well" "grant.ini:3: allow_read '\*/f' goes through the link '$W/cache'" <<-END
	[filesystem]
	deny_read = $D/far
	allow_read = */f
END
grant_refused "a deny_write behind one" "grant.ini:3: deny_write 'cache/\*' goes through the link" <<-END
	[filesystem]
	allow_write = $D/tree
	deny_write = cache/*
END
rm "$W/cache"

# ---- modes: root reads and searches every directory ----
is_root || {
	mkdir "$D/blind" "$D/mine"
	echo text >"$D/blind/k.env"
	echo text >"$D/blind/other"
	chmod 300 "$D/blind"
	grant <<-END
		[filesystem]
		deny_read = $D/*/*.env
	END
	denied EACCES "a directory that can be searched, not listed" -- "$TRY" open-read "$D/blind/k.env"
	denied EACCES "all of it is closed" -- "$TRY" open-read "$D/blind/other"
	run srun_run -- true
	like "and that is said" "$err" "grant.ini:2: deny_read '$D/\*/\*.env': what it matches in '$D/blind' cannot be found out, so all of it is denied"
	grant <<-END
		[filesystem]
		deny_read = $D/blind/*.env
	END
	denied EACCES "the same where the pattern begins there" -- "$TRY" open-read "$D/blind/k.env"
	chmod 700 "$D/blind"
	for mode in 000 300 400; do
		rm -rf "$W/shut"
		mkdir "$W/shut"
		echo text >"$W/shut/k.env"
		chmod "$mode" "$W/shut"
		grant <<-END
			[filesystem]
			deny_read = **/*.env
		END
		is "control: mode $mode: its owner opens it" \
			"$(sh -c 'chmod 700 "$1"; cat "$1/k.env"' sh "$W/shut")" text
		chmod "$mode" "$W/shut"
		run srun_run -- sh -c 'chmod 700 "$1"; cat "$1/k.env"' sh "$W/shut"
		is "mode $mode in a write root: not the command" "$out" ''
		chmod 700 "$W/shut"
	done
	chmod 000 "$D/mine"
	grant <<-END
		[filesystem]
		deny_read = $D/*/*.env
	END
	run srun_run -- true
	is "what nobody can reach needs no word" "$rc $err" "0 "
	chmod 700 "$D/mine"
	chmod 300 "$D/blind"
	grant_refused "a deny_write in what cannot be listed" "grant.ini:3: deny_write '$D/b\*/o\*' cannot be held: what it matches in '$D/blind' cannot be found out" <<-END
		[filesystem]
		allow_write = $D/blind/other
		deny_write = $D/b*/o*
	END
	chmod 700 "$D/blind"
}

# ---- a tree that is deeper than a path can say ----
(cd "$W" && "$HELPERS/deep" 2500)
grant <<-END
	[filesystem]
	deny_read = **/f
END
is "control: a file too deep for a name is read step by step" "$("$HELPERS/deep" read)" ok
run srun_run -- "$HELPERS/deep" read
is "not under srun" "$out" no
like "its directory is closed, and that is said" "$err" "cannot be found out, so all of it is denied"

done_testing
