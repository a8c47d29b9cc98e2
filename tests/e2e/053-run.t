#!/bin/sh
# run: /run, where the host's services have their sockets, is empty; a program may look.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

[ "$(readlink -f /run)" = /run ] || skip_all "/run is not a directory here"
[ -n "$(ls -A /run)" ] || skip_all "/run is empty here"
echo | grant
resolver=$(readlink -f /etc/resolv.conf)
case $resolver in
/run/*) ;;
*) inside "/run is listed, and empty" '' -- ls -A /run ;;
esac
entry=$(find /run -mindepth 1 -maxdepth 1 ! -path "$resolver*" | head -n 1)
denied "ENOENT|EACCES" "$entry" -- "$TRY" stat "$entry"
inside "nothing is made there" EROFS -- "$TRY" create /run/t-srun
[ ! -e "$resolver" ] || allowed "the resolver's file is read" -- "$TRY" open-read /etc/resolv.conf
inside "/var/run is the same" "$("$TRY" stat /var/run)" -- "$TRY" stat /var/run

grant <<-END
	[filesystem]
	allow_read = $entry
END
allowed "named, $entry is there" -- "$TRY" stat "$entry"
is_root && {
	dir=$(mktemp -d /run/t-srun.XXXXXX) || exit 1
	trap 'rm -rf "$dir"; clean_up' EXIT
	mkdir "$dir/a" "$dir/b"
	echo text >"$dir/a/f"
	grant <<-END
		[filesystem]
		allow_write = $dir/a
	END
	allowed "a write root in /run is written" -- "$TRY" append "$dir/a/f"
	denied ENOENT "what is beside it is not there" -- "$TRY" stat "$dir/b"
}

done_testing
