#!/bin/sh
# read-mounts: a closed directory, and one opened inside it, that are file systems of their
# own. Lines with a slash at the end, the outermost last.
# user: root
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

unshare -m true 2>/dev/null || skip_all "no mount namespace can be made"

cat >"$T/script" <<'END'
mount -t tmpfs -o mode=755 t1 "$1/u" || exit 99
mkdir "$1/u/me" || exit 99
mount -t tmpfs -o mode=755 t2 "$1/u/me" || exit 99
mkdir -p "$1/u/me/work" "$1/w"
echo text >"$1/u/me/work/f"
echo text >"$1/u/me/f"
echo text >"$1/u/f"
mount -t tmpfs -o mode=755 t3 "$1/w" || exit 99
mkdir "$1/w/sub"
mount -t tmpfs -o mode=755 t4 "$1/w/sub" || exit 99
echo text >"$1/w/sub/f"
mkdir -p "$1/w/x/deep"
mount -t tmpfs -o mode=755 t5 "$1/w/x/deep" || exit 99
echo text >"$1/w/x/deep/f"
shift
exec "$@"
END
mkdir "$D/u"

# in_mounts COMMAND...: where $D/u and below are file systems of their own
in_mounts() {
	unshare -m sh "$T/script" "$D" "$@" 2>&1 </dev/null
}

grant <<-END
	[filesystem]
	allow_read = $D/u/me/work/
	deny_read = $D/u/me/
	deny_read = $D/u/
END
is "control: the three are read bare" "$(in_mounts cat "$D/u/f" "$D/u/me/f" "$D/u/me/work/f")" "$(each text text text)"
is "the opened one is read" "$(in_mounts "$SRUN" -q -f "$T/grant.ini" -- ls "$D/u/me/work")" f
is "the middle one is closed" "$(in_mounts "$SRUN" -q -f "$T/grant.ini" -- "$TRY" open-read "$D/u/me/f")" ENOENT
is "the outer one is closed" "$(in_mounts "$SRUN" -q -f "$T/grant.ini" -- "$TRY" open-read "$D/u/f")" ENOENT

# A file system inside a write root or a read-only root is under the same rule.
grant <<-END
	[filesystem]
	deny_write = $D/w/sub
	allow_write = $D/w
END
is "control: written bare" "$(in_mounts "$TRY" create "$D/w/sub/new")" ok
is "a mount in a write root is read-only when a line says so" \
	"$(in_mounts "$SRUN" -q -f "$T/grant.ini" -- "$TRY" create "$D/w/sub/new")" EROFS
is "the write root is written" \
	"$(in_mounts "$SRUN" -q -f "$T/grant.ini" -- "$TRY" create "$D/w/new")" ok
grant <<-END
	[filesystem]
	allow_write = $D/w
END
is "without that line it belongs to the write root" \
	"$(in_mounts "$SRUN" -q -f "$T/grant.ini" -- "$TRY" create "$D/w/sub/new")" ok
echo '' | grant
is "and without a write root it is read-only, at any depth" \
	"$(in_mounts "$SRUN" -q -f "$T/grant.ini" -- "$TRY" create "$D/w/sub/new")" EROFS

grant <<-END
	[filesystem]
	allow_write = $D/w
	deny_read = $D/w/x
END
is "a mount below something closed in a write root is closed" \
	"$(in_mounts "$SRUN" -q -f "$T/grant.ini" -- "$TRY" open-read "$D/w/x/deep/f")" EACCES

done_testing
