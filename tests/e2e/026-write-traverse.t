#!/bin/sh
# write-traverse: a workspace below a directory of somebody else's that can only be walked
# through.
# user: root
. "$(dirname "$0")/../lib.sh"

uid=1501
mkdir -p "$D/p/work"
chmod 711 "$D/p" "$D" "$base"
chown "$uid:$uid" "$D/p/work"
mkdir "$T/bin"
cp "$SRUN" "$TRY" "$T/bin"
chmod 755 "$T" "$T/bin" "$T/bin/srun" "$T/bin/try"

as_user() {
	(cd "$D/p/work" && setpriv --reuid "$uid" --regid "$uid" --clear-groups \
		env -i PATH="$PATH" HOME=/nonexistent TMPDIR=/tmp "$@" 2>&1 </dev/null)
}

is "control: the parent is not listed bare" "$(as_user "$T/bin/try" readdir "$D/p")" EACCES
is "the command is in its directory" "$(as_user "$T/bin/srun" -q pwd)" "$D/p/work"
is "and writes it" "$(as_user "$T/bin/srun" -q "$T/bin/try" create f)" ok
is "and not what is above it" "$(as_user "$T/bin/srun" -q sh -c "$T/bin/try create ../f")" EROFS

# Root without its privileges cannot write what belongs to somebody else: said.
grant <<-END
	[filesystem]
	allow_write = $D/p/work
END
run srun_run -- "$TRY" create "$D/p/work/f"
is "root in somebody else's directory: refused" "$out" EACCES
like "and said, with the remedy" "$err" "grant.ini:2: '$D/p/work' belongs to uid $uid .*run srun as that user"

done_testing
