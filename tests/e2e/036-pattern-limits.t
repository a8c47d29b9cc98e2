#!/bin/sh
# pattern-limits: many names: what a pattern costs, how many matches are held, and that a
# search or a number of mounts that is too large ends srun before the command starts.
# serial: yes
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

# touch_all DIRECTORY FROM TO ENDING
touch_all() {
	(cd "$1" && seq -f "f%.0f$4" "$2" "$3" | xargs touch)
}

# Milliseconds of the median of 7 runs.
median() {
	for i in 1 2 3 4 5 6 7; do
		begin=$(now_ms)
		srun_run -q -- "$TRY" nothing >/dev/null
		echo "$(($(now_ms) - begin))"
	done | sort -n | sed -n 4p
}

mkdir "$D/many"
touch_all "$D/many" 1 10000 .txt
echo text >"$D/many/x.env"
echo '[filesystem]' | grant
bare=$(median)
grant <<-END
	[filesystem]
	deny_read = $D/many/*.env
END
denied EACCES "one of 10,000 names" -- "$TRY" open-read "$D/many/x.env"
full=$(median)
diag "10,000 names in a directory: $full ms a run, $bare ms without"
check "it costs less than 60 ms more" test "$((full - bare))" -lt 60

touch_all "$D/many" 1 199 .env
denied EACCES "the first of 200 matches" -- "$TRY" open-read "$D/many/f1.env"
denied EACCES "the last" -- "$TRY" open-read "$D/many/x.env"
inside "all of them, and nothing else" 10000 -- sh -c 'cd "$1" && for f in *; do [ ! -r "$f" ] || echo; done | wc -l' sh "$D/many"
diag "200 matches: $(median) ms a run"

touch_all "$D/many" 200 1000 .env
grant_refused "1,001 matches" "grant.ini:2: deny_read '$D/many/\*.env': the search for what it matches stopped short: it matches too many names \[name the files, or a smaller directory\]" <<-END
	[filesystem]
	deny_read = $D/many/*.env
END
refused "--check says the same" "it matches too many names" -f "$T/grant.ini" --check
grant_refused "many for an allow" "grant.ini:2: allow_write .* matches too many names" <<-END
	[filesystem]
	allow_write = $D/many/f*
END
grant_refused "for several patterns together" "grant.ini:3: .* matches too many names" <<-END
	[filesystem]
	deny_read = $D/many/f[1-5]*.env
	deny_read = $D/many/f[6-9]*.env, $D/many/*1.txt
END
grant <<-END
	[filesystem]
	deny_read = $D/many/*
END
denied EACCES "all of a directory is one" -- "$TRY" open-read "$D/many/f1.env"
mkdir "$D/out"
grant <<-END
	[filesystem]
	allow_write = $D/out
	deny_write = $D/many/*
END
allowed "what is not writable anyway needs nothing" -- "$TRY" create "$D/out/new"
like "and is counted for --check" "$("$SRUN" -f "$T/grant.ini" --check)" "deny_write +$D/many/\*: 11001 names"

# Each directory above a match in a write root is held by a mount of its own.
way=
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	way=$way/$i
done
for i in $(seq 250); do
	mkdir -p "$W/$i$way"
	: >"$W/$i$way/.env"
done
grant_refused "too many mounts" "the grant needs more than 5000 mounts, which would take too long" <<-END
	[filesystem]
	deny_read = **/.env
END

done_testing
