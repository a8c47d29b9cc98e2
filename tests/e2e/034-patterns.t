#!/bin/sh
# patterns: '*', '?', '[...]' and '**' in the paths of a grant mean the names that exist at
# the start; a name that exists is that name; what cannot be held is refused with its line.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir -p "$D/a/b/c" "$D/.hid" "$D/empty" "$D/elsewhere"
for f in a.env .env b.txt a/a.env a/b/c/a.env .hid/a.env elsewhere/t.env a/b/1 a/b/2 a/b/10; do
	echo text >"$D/$f"
done
ln -s elsewhere/t.env "$D/l.env"
ln -s ../../elsewhere "$D/a/b/way"
ln -s . "$D/a/self"

# ---- deny_read ----
grant <<-END
	[filesystem]
	deny_read = $D/*.env
END
denied EACCES "*: a file" -- "$TRY" open-read "$D/a.env"
denied EACCES "*: a leading dot is not special" -- "$TRY" open-read "$D/.env"
denied EACCES "*: through a link, by the link" -- "$TRY" open-read "$D/l.env"
denied EACCES "*: and by what it leads to" -- "$TRY" open-read "$D/elsewhere/t.env"
allowed "*: another name" -- "$TRY" open-read "$D/b.txt"
allowed "*: no '/'" -- "$TRY" open-read "$D/a/a.env"
inside "*: the directory can be listed" "$(ls -A "$D")" -- ls -A "$D"
run "$SRUN" -f "$T/grant.ini" --check
like "--check names each match, its pattern and its line" "$out" \
	"deny_read +$D/a.env \(written '$D/\*.env'\)  \[$T/grant.ini:2\]"
like "--check says what a pattern covers" "$out" \
	"deny_read +$D/\*.env: 3 names that exist at the start are closed, and what appears later only below them"

grant <<-END
	[filesystem]
	deny_read = $D/**/*.env
END
denied EACCES "**: no directory between" -- "$TRY" open-read "$D/a.env"
denied EACCES "**: one" -- "$TRY" open-read "$D/a/a.env"
denied EACCES "**: three" -- "$TRY" open-read "$D/a/b/c/a.env"
denied EACCES "**: a hidden one" -- "$TRY" open-read "$D/.hid/a.env"
denied EACCES "**: through a loop of links" -- "$TRY" open-read "$D/a/self/self/a.env"
denied EACCES "**: through a link to a directory" -- "$TRY" open-read "$D/a/b/way/t.env"
allowed "**: another name" -- "$TRY" open-read "$D/a/b/1"

grant <<-END
	[filesystem]
	deny_read = $D/a/b/[!2-9], $D/a/b/??
END
denied EACCES "[!...]" -- "$TRY" open-read "$D/a/b/1"
denied EACCES "??" -- "$TRY" open-read "$D/a/b/10"
allowed "neither" -- "$TRY" open-read "$D/a/b/2"

grant <<-END
	[filesystem]
	deny_read = $D/a/*
END
denied EACCES "all of a directory: a file in it" -- "$TRY" open-read "$D/a/a.env"
denied EACCES "all of a directory: it is closed itself" -- "$TRY" readdir "$D/a"
like "in one mount" "$("$SRUN" -f "$T/grant.ini" --check)" "deny_read +$D/a \(written"
allowed "what is beside it" -- "$TRY" open-read "$D/a.env"
grant <<-END
	[filesystem]
	deny_read = $D/a/*
	allow_read = $D/a/b
END
allowed "opened again below it" -- "$TRY" open-read "$D/a/b/1"
denied "EACCES|ENOENT" "and nothing else" -- "$TRY" open-read "$D/a/a.env"

# Relative to the working directory, and in a write root.
mkdir "$W/sub" "$W/.env.d"
echo text >"$W/x.env"
echo text >"$W/sub/y.env"
echo text >"$W/.env.d/k"
grant <<-END
	[filesystem]
	deny_read = **/*.env, .env*
END
denied EACCES "in a write root" -- "$TRY" open-read "$W/x.env"
denied EACCES "in a write root, below" -- "$TRY" open-read "$W/sub/y.env"
denied EACCES "a directory" -- "$TRY" open-read "$W/.env.d/k"
denied "EACCES|EROFS" "in a write root: not written" -- "$TRY" open-write "$W/x.env"
denied EBUSY "in a write root: not renamed" -- "$TRY" rename "$W/x.env" "$W/z"
denied EBUSY "in a write root: not removed" -- "$TRY" unlink "$W/sub/y.env"
denied EBUSY "in a write root: nor is its directory moved away" -- "$TRY" rename "$W/sub" "$W/moved"
allowed "a name that the command makes is its own" -- "$TRY" create "$W/new.env"
inside "and can be read" mine -- sh -c 'echo mine >later.env; cat later.env; rm later.env'
allowed "the rest of the write root" -- "$TRY" create "$W/sub/new"

grant <<-END
	[filesystem]
	deny_read = $D/none*, $D/none/**, $D/**/none
END
run srun_run -- true
is "a deny_read that matches nothing is fine" "$rc $err" "0 "
like "and --check says so" "$("$SRUN" -f "$T/grant.ini" --check)" "$D/none\*: 0 names"

# ---- allow_read and precedence ----
grant <<-END
	[filesystem]
	deny_read = $D
	allow_read = $D/*/b, $D/*.env
END
allowed "allow_read opens what it matches" -- "$TRY" open-read "$D/a/b/c/a.env"
denied "EACCES|ENOENT" "and nothing else" -- "$TRY" open-read "$D/a/a.env"
allowed "a file" -- "$TRY" open-read "$D/a.env"
allowed "a link" -- "$TRY" open-read "$D/l.env"
grant <<-END
	[filesystem]
	deny_read = $D, $D/**/*.env
	allow_read = $D/*/b
END
denied EACCES "a deny inside closes again" -- "$TRY" open-read "$D/a/b/c/a.env"
grant <<-END
	[filesystem]
	deny_read = $D, $D/a.env
	allow_read = $D/*.env
END
denied "EACCES|ENOENT" "a name beats a pattern at the same path" -- "$TRY" open-read "$D/a.env"
allowed "what only the pattern matches" -- "$TRY" open-read "$D/.env"

# ---- allow_write ----
grant <<-END
	[filesystem]
	allow_write = $D/a/?, $D/e*y
END
allowed "allow_write" -- "$TRY" create "$D/a/b/new"
allowed "allow_write of an empty directory" -- "$TRY" create "$D/empty/new"
denied EROFS "not beside" -- "$TRY" create "$D/a/new"
denied EROFS "nor a name to come" -- "$TRY" mkdir "$D/a/z"
# sandbox-runtime#154: "dir/**" was dropped without a word
for pattern in '**' '**/' '**/**'; do
	grant <<-END
		[filesystem]
		allow_write = $D/a/$pattern
	END
	allowed "dir/$pattern is dir" -- "$TRY" create "$D/a/b/new"
	allowed "dir/$pattern is dir, its top" -- "$TRY" create "$D/a/new"
	denied EROFS "dir/$pattern: not beside" -- "$TRY" create "$D/new"
done
grant <<-END
	[filesystem]
	allow_write = $D/a/**/way
END
allowed "a link at the end" -- "$TRY" create "$D/elsewhere/new"
grant_refused "but ** of an allow goes through none" "grant.ini:2: allow_write '$D/a/\*\*/t.env' matches nothing" <<-END
	[filesystem]
	allow_write = $D/a/**/t.env
END
grant_refused "an allow_write that matches nothing" "grant.ini:3: allow_write '$D/none\*' matches nothing .*'create = PATH'" <<-END
	[filesystem]
	allow_read = /usr*
	allow_write = $D/none*
END
grant_refused "an allow_read that matches nothing" "grant.ini:2: allow_read '$D/a/\[x\]' matches nothing" <<-END
	[filesystem]
	allow_read = $D/a/[x]
END
grant <<-END
	[filesystem]
	allow_write = $D/made-*
	create = $D/made-1
END
inside "a directory of 'create' is as good as there" ok -- "$TRY" -k create "$D/made-1/x"
rm -r "$D/made-1"
grant <<-END
	[filesystem]
	read_write_paths = $D/a/?
	read_only_paths = $D/e*
	deny_read = $D
END
allowed "read_write_paths" -- "$TRY" create "$D/a/b/new"
denied EROFS "read_only_paths: not written" -- "$TRY" create "$D/elsewhere/new"
allowed "read_only_paths: read" -- "$TRY" open-read "$D/elsewhere/t.env"
denied "EACCES|ENOENT" "the rest is closed" -- "$TRY" open-read "$D/a.env"

# ---- deny_write ----
grant <<-END
	[filesystem]
	allow_write = $D/a, $D/empty
	deny_write = $D/[a-c], /usr/*/nothing
END
denied EROFS "deny_write wins over what it matches" -- "$TRY" create "$D/a/new"
allowed "and over nothing else" -- "$TRY" create "$D/empty/new"
later="cannot be held: the command could make names that it matches in"
grant_refused "deny_write in a write root" "grant.ini:2: deny_write '\*.lock' $later '$W'" <<-END
	[filesystem]
	deny_write = *.lock
END
grant_refused "deny_write below a write root" "grant.ini:3: deny_write '$D/\*\*/config' $later '$D/a'" <<-END
	[filesystem]
	allow_write = $D/a
	deny_write = $D/**/config
END
grant_refused "deny_write with a write root between" "grant.ini:3: deny_write '$D/\*/b/x' $later '$D/a'" <<-END
	[filesystem]
	allow_write = $D/a
	deny_write = $D/*/b/x
END
grant_refused "deny_write of a place in a write root that is missing" "grant.ini:2: deny_write 'none/\*' $later '$W'" <<-END
	[filesystem]
	deny_write = none/*
END
# sandbox-runtime#432: such a pattern held below the working directory only
mkdir "$D/out"
echo text >"$D/out/.env"
grant_refused "deny_write = **/.env with two write roots" "grant.ini:3: deny_write '\*\*/.env' $later" <<-END
	[filesystem]
	allow_write = $W, $D/out
	deny_write = **/.env
END

# ---- names ----
mkdir "$D/project[1]" "$D/project1"
echo text >"$D/project[1]/secret"
echo text >"$D/project1/secret"
grant <<-END
	[filesystem]
	deny_read = $D/project[1]/secret
	allow_write = $D/project[1]
END
denied EACCES "a name that exists is that name" -- "$TRY" open-read "$D/project[1]/secret"
allowed "and no pattern" -- "$TRY" open-read "$D/project1/secret"
allowed "nor is the allow" -- "$TRY" create "$D/project[1]/new"
denied EROFS "nor is the allow, elsewhere" -- "$TRY" create "$D/project1/new"
rm -r "$D/project[1]"
grant <<-END
	[filesystem]
	deny_read = $D/project[1]/secret
END
denied EACCES "when it is gone it is a pattern" -- "$TRY" open-read "$D/project1/secret"
grant <<-END
	[filesystem]
	deny_read = literal:$D/project[1]/secret
END
allowed "never with literal:" -- "$TRY" open-read "$D/project1/secret"
grant_refused "'..' behind a pattern" "grant.ini:2: allow_read '$D/\*/../x' has '..' behind a pattern" <<-END
	[filesystem]
	allow_read = $D/*/../x
END
grant_refused "create of a pattern" "grant.ini:2: create 'x\*' is a pattern" <<-END
	[filesystem]
	create = x*
END

# ---- narrowing ----
grant <<-END
	[filesystem]
	allow_write = $D/a
	deny_read = $D/*.env
END
cat >"$T/narrow.ini" <<-END
	[filesystem]
	allow_write = $D/*/b
	allow_read = $D/.e*
END
denied EROFS "--narrow: written by one alone" --narrow "$T/narrow.ini" -- "$TRY" create "$D/a/new"
allowed "--narrow: written by both" --narrow "$T/narrow.ini" -- "$TRY" create "$D/a/b/new"
denied EACCES "--narrow: an allow_read opens nothing" --narrow "$T/narrow.ini" -- "$TRY" open-read "$D/.env"
cat >"$T/narrow.ini" <<-END
	[filesystem]
	deny_read = $D/**/1?
END
denied EACCES "--narrow: its deny" --narrow "$T/narrow.ini" -- "$TRY" open-read "$D/a/b/10"
denied EACCES "--narrow: and that of the grant" --narrow "$T/narrow.ini" -- "$TRY" open-read "$D/a.env"

done_testing
