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

# A link that an earlier run planted in the working directory, met by a run that may write
# only what its own line names.
rm -rf "$W/link" "$W/out"
echo | grant
srun_run -q -- sh -c 'ln -s "$1" out; ln -s "$1/.." up' sh "$D/victim"
check "control: the first run could plant it" test -L "$W/out"
for path in out up/victim; do
	grant_refused "allow_write = $path, planted" \
		"grant.ini:3: allow_write '.*$path' goes through the link '$W/${path%%/*}', which the command of an earlier run could have made \[name the target '$D/victim'\]" <<-END
			[filesystem]
			write_working_directory = no
			allow_write = $W/$path
		END
done
grant_refused "allow_read of one in a closed place" "grant.ini:4: allow_read '$W/out'.*earlier run could have made" <<-END
	[filesystem]
	write_working_directory = no
	deny_read = $D/victim
	allow_read = $W/out
END
grant <<-END
	[filesystem]
	write_working_directory = no
	deny_read = $W/out
END
denied EACCES "a deny_read of one closes the target" -- "$TRY" open-read "$D/victim/f"
grant <<-END
	[filesystem]
	write_working_directory = no
	allow_write = $D/victim
END
allowed "the remedy works" -- "$TRY" append "$D/victim/f"

# A link that is somebody else's, in a directory where everybody may make one.
if is_root; then
	mkdir -m 1777 "$D/common"
	ln -s "$D/victim" "$D/common/x"
	chown -h 1500 "$D/common/x"
	for line in "allow_write = $D/common/x" "allow_read = $D/common/x/f" "create = $D/common/x/new"; do
		grant_refused "$line, another user's link" \
			"grant.ini:3: ${line%% *} '.*' goes through the link '$D/common/x', which belongs to uid 1500" <<-END
				[filesystem]
				allow_write = $D/real
				$line
			END
	done
	grant_refused "a working directory" "working_directory '$D/common/x' goes through the link '$D/common/x', which belongs to uid 1500" <<-END
		[sandbox]
		working_directory = $D/common/x
	END
	chown -h 0 "$D/common/x"
	grant <<-END
		[filesystem]
		allow_write = $D/common/x
	END
	allowed "control: the same, the caller's own" -- "$TRY" append "$D/victim/f"
fi

done_testing
