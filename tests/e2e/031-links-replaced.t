#!/bin/sh
# links-replaced: a link that the command itself can replace is no ground for a grant: the
# next run would be led wherever the last one pointed it.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir "$D/real" "$D/victim"
echo text >"$D/real/f"
echo text >"$D/victim/f"
ln -s "$D/real" "$W/link"

for key in allow_write read_write_paths; do
	grant_refused "$key through a link in a write root" \
		"grant.ini:2: allow_write '$W/link' goes through the link '$W/link', which the command could replace \[name the target '$D/real'\]|grant.ini:2: .*'$W/link'.*could replace" <<-END
		[filesystem]
		$key = $W/link
	END
done
grant_refused "deny_write through such a link" "grant.ini:3: deny_write '$W/link/f'.*could replace" <<-END
	[filesystem]
	allow_write = $D/real
	deny_write = $W/link/f
END
grant_refused "allow_read through such a link" "grant.ini:3: allow_read '$W/link'.*could replace" <<-END
	[filesystem]
	deny_read = $D/real
	allow_read = $W/link
END

# With the remedy it works, whatever becomes of the link.
grant <<-END
	[filesystem]
	allow_write = $D/real
END
inside "the command replaces the link" ok -- sh -c 'rm link && ln -s "$1" link && echo ok' sh "$D/victim"
denied EROFS "and gains nothing by it" -- "$TRY" append "$W/link/f"
is "the link does lead there" "$(readlink "$W/link")" "$D/victim"
allowed "the target that was named is written" -- "$TRY" append "$D/real/f"

# A link that a first run leaves behind is not followed by the second run's grant.
mkdir "$W/out"
grant <<-END
	[filesystem]
	allow_write = $W/out
END
inside "a first run with a directory" ok -- "$TRY" create "$W/out/new"
inside "puts a link in its place where it can" 'done' -- sh -c '
	cd "$1" && mv out out2 2>/dev/null && ln -s "$2" out; echo done' sh "$W" "$D/victim"
run srun_run -q -- "$TRY" append "$W/out/f"
isnt "a second run does not write the link's target" "$out" ok
is "which is as it was" "$(cat "$D/victim/f")" text

# A closed file behind a link is closed whatever the link is turned into.
rm -rf "$W/link"
ln -s "$D/victim/f" "$W/link"
grant <<-END
	[filesystem]
	deny_read = $W/link
END
denied EACCES "deny_read through a link closes the target" -- "$TRY" open-read "$D/victim/f"
inside "also when the link is replaced" EACCES -- sh -c 'ln -sf "$2" link; "$1" open-read "$2"' sh "$TRY" "$D/victim/f"

done_testing
