#!/bin/sh
# read-precedence: two rules on the same path, and a rule inside another of its kind.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir -p "$D/a/b/c"
for dir in a a/b a/b/c; do
	echo text >"$D/$dir/f"
done

for order in "deny_read allow_read" "allow_read deny_read"; do
	{
		echo '[filesystem]'
		for key in $order; do
			echo "$key = $D/a"
		done
	} | grant
	allowed "$order on one path: reading wins" -- "$TRY" open-read "$D/a/b/f"
	denied EROFS "$order on one path: and no writing comes of it" -- "$TRY" create "$D/a/new"
done

for order in "allow_write deny_write" "deny_write allow_write"; do
	{
		echo '[filesystem]'
		for key in $order; do
			echo "$key = $D/a"
		done
	} | grant
	denied EROFS "$order on one path: not writing wins" -- "$TRY" create "$D/a/new"
	allowed "$order on one path: it is read" -- "$TRY" open-read "$D/a/f"
done

grant <<-END
	[filesystem]
	deny_write = $W
END
denied EROFS "deny_write of the working directory wins" -- "$TRY" create "$W/new"
run "$SRUN" -f "$T/grant.ini" --check
like "and --check names the line" "$out" "read-only.*grant.ini:2.*deny_write"

# The same rule on two levels, and the same path spelled twice.
grant <<-END
	[filesystem]
	deny_read = $D/a, $D/a/b/c, $D/a/, $D//a/./b/c
	allow_write = $D/a/b, $D/a/b/
END
denied "EACCES|ENOENT" "closed" -- "$TRY" open-read "$D/a/f"
allowed "a write root in what is closed is read" -- "$TRY" open-read "$D/a/b/f"
allowed "and written" -- "$TRY" create "$D/a/b/new"
denied EACCES "closed again inside the write root" -- "$TRY" open-read "$D/a/b/c/f"
denied EACCES "and not written there" -- "$TRY" create "$D/a/b/c/new"
denied EBUSY "nor renamed away" -- "$TRY" rename "$D/a/b/c" "$D/a/b/d"

# What cannot be meant is an error with both lines.
grant_refused "closed and writable on one path" \
	"grant.ini:3: allow_write '$D/a' .*grant.ini:2" <<-END
	[filesystem]
	deny_read = $D/a
	allow_write = $D/a
END
grant_refused "an allow_write below a deny_write" \
	"grant.ini:3: allow_write '$D/a/b' can have no effect.*grant.ini:2" <<-END
	[filesystem]
	deny_write = $D/a
	allow_write = $D/a/b
END
grant_refused "the working directory itself closed" "grant.ini:2: deny_read '$W' closes the working directory" <<-END
	[filesystem]
	deny_read = $W
END

done_testing
