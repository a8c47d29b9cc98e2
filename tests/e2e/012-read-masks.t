#!/bin/sh
# read-masks: a closed file and a closed directory answer EACCES to whatever is tried, also
# to their owner, and cannot be opened by changing their mode.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

echo text >"$D/file"
ln "$D/file" "$W/other-name"
mkdir -p "$D/dir/sub"
echo text >"$D/dir/f"
printf '#!/bin/sh\necho ran\n' >"$D/script"
chmod 755 "$D/script"
cp "$TRY" "$D/program"
mkfifo "$D/fifo"

grant <<-END
	[filesystem]
	deny_read = $D/file, $D/dir, $D/program, $D/script
END

denied EACCES "a closed file cannot be read" -- "$TRY" open-read "$D/file"
denied "EACCES|EROFS" "nor written" -- "$TRY" open-write "$D/file"
denied "EACCES|EROFS" "nor truncated" -- "$TRY" truncate "$D/file"
denied "EACCES|EROFS|EPERM" "nor given another mode" -- "$TRY" chmod "$D/file"
denied "EROFS|EBUSY" "nor removed" -- "$TRY" unlink "$D/file"
denied "EROFS|EBUSY" "nor renamed" -- "$TRY" rename "$D/file" "$D/file2"
denied EACCES "a closed program cannot be run" -- "$TRY" exec "$D/program" nothing
denied EACCES "a closed directory cannot be listed" -- "$TRY" readdir "$D/dir"
denied EACCES "nor entered" -- "$TRY" chdir "$D/dir"
denied EACCES "nor looked into" -- "$TRY" open-read "$D/dir/f"
denied EACCES "nor are its names told apart from missing ones" -- "$TRY" stat "$D/dir/f"
denied EACCES "nothing is made in it" -- "$TRY" create "$D/dir/new"
denied "EACCES|EROFS|EPERM" "nor is its mode changed" -- "$TRY" chmod "$D/dir"
denied "EROFS|EBUSY" "nor is it renamed" -- "$TRY" rename "$D/dir" "$D/dir2"

inside "chmod and then cat" "no" -- sh -c \
	'chmod 777 "$1" "$2" 2>/dev/null; cat "$1/f" "$2" 2>/dev/null || echo no' sh "$D/dir" "$D/file"
inside "a missing name looks like one that exists" \
	"$(each EACCES EACCES)" -- sh -c '"$1" stat "$2/f"; "$1" stat "$2/absent"' sh "$TRY" "$D/dir"
run srun_run -- "$D/script"
is "a closed script: exit 126" "$rc" 126
inside "the size of a closed file is not told" 0 -- stat -c %s "$D/file"
is "the file is as it was" "$(cat "$D/file")" text

# Something that is neither file nor directory, and the very directory of the program.
grant <<-END
	[filesystem]
	deny_read = $D/fifo
END
inside "a closed fifo" EACCES -- "$TRY" open-read "$D/fifo"
allowed "what is beside it" -- "$TRY" open-read "$D/file"

# Inside a write root the mask holds as well.
mkdir "$W/closed"
echo text >"$W/closed/f"
echo text >"$W/shut"
grant <<-END
	[filesystem]
	deny_read = $W/closed, $W/shut
END
denied EACCES "in a write root: the closed directory" -- "$TRY" open-read "$W/closed/f"
denied EACCES "in a write root: the closed file" -- "$TRY" open-read "$W/shut"
denied "EACCES|EROFS" "in a write root: not written either" -- "$TRY" open-write "$W/shut"
denied EBUSY "in a write root: not renamed" -- "$TRY" rename "$W/closed" "$W/moved"
denied EBUSY "in a write root: not removed" -- "$TRY" unlink "$W/shut"
denied EBUSY "in a write root: not replaced" -- "$TRY" exchange "$W/shut" "$W/other-name"
allowed "in a write root: the rest is written" -- "$TRY" create "$W/new"

# A directory that its owner cannot search hides what is denied in it only until the command
# changes its mode. Root can search every directory.
is_root || for mode in 400 000; do
	rm -rf "$W/locked"
	mkdir "$W/locked"
	echo text >"$W/locked/f"
	for key in deny_read deny_write; do
		echo text >"$W/locked/f"
		chmod "$mode" "$W/locked"
		# What is tried, by the key.
		script='chmod 700 "$1/locked" && cat "$1/locked/f"'
		[ "$key" = deny_read ] || script='chmod 700 "$1/locked" && echo new >"$1/locked/f" && echo text'
		is "control: mode $mode, $key: bare, it is opened" "$(sh -c "$script" sh "$W")" text
		chmod "$mode" "$W/locked"
		grant <<-END
			[filesystem]
			$key = $W/locked/f
		END
		run srun_run -- sh -c "$script" sh "$W"
		is "mode $mode, $key: not under srun" "$out" ''
		like "and it says what is denied" "$err" "grant.ini:2: $key '$W/locked/f': you cannot search '$W/locked', so all of it is denied"
		chmod 700 "$W/locked"
	done
	grant <<-END
		[filesystem]
		allow_write = $W/locked
		deny_read = $W/locked/f
	END
	chmod "$mode" "$W/locked"
	refused "mode $mode: not where the directory itself is granted" \
		"grant.ini:3: deny_read '$W/locked/f' cannot be held: you cannot search '$W/locked'" \
		-f "$T/grant.ini" -- true
	chmod 700 "$W/locked"
done

done_testing
