#!/bin/sh
# write-allow: outside the write roots everything that changes a file answers EROFS; inside
# them it works.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

for top in "$D/no" "$D/yes"; do
	mkdir -p "$top/dir" "$top/dir2" "$top/empty"
	echo text >"$top/f"
	echo text >"$top/g"
	ln -s f "$top/link"
done

grant <<-END
	[filesystem]
	allow_write = $D/yes
END

# every NAME CHECK TOP: each way to change something, by denied or allowed
every() {
	top=$1
	shift
	"$@" "$top: open for writing" -- "$TRY" open-write "$top/f"
	"$@" "$top: append" -- "$TRY" append "$top/f"
	"$@" "$top: truncate" -- "$TRY" truncate "$top/f"
	"$@" "$top: create" -- "$TRY" create "$top/new"
	"$@" "$top: a file without a name" -- "$TRY" open-tmpfile "$top"
	"$@" "$top: mkdir" -- "$TRY" mkdir "$top/newdir"
	"$@" "$top: rmdir" -- "$TRY" rmdir "$top/empty"
	"$@" "$top: mknod" -- "$TRY" mknod "$top/fifo"
	"$@" "$top: rename" -- "$TRY" rename "$top/f" "$top/h"
	"$@" "$top: rename over another" -- "$TRY" exchange "$top/f" "$top/g"
	"$@" "$top: rename a directory" -- "$TRY" rename "$top/dir" "$top/dir3"
	"$@" "$top: link" -- "$TRY" link "$top/f" "$top/h"
	"$@" "$top: symlink" -- "$TRY" symlink f "$top/h"
	"$@" "$top: unlink" -- "$TRY" unlink "$top/g"
	"$@" "$top: chmod" -- "$TRY" chmod "$top/f"
	"$@" "$top: chown" -- "$TRY" chown "$top/f"
	"$@" "$top: utime" -- "$TRY" utime "$top/f"
	"$@" "$top: setxattr" -- "$TRY" setxattr "$top/f"
	"$@" "$top: a socket" -- "$TRY" mknod "$top/dir/fifo"
}
every "$D/no" denied EROFS
every "$D/yes" allowed

denied EROFS "by a link in a write root" -- sh -c '
	ln -sf "$2/no/f" "$2/yes/out"; "$1" append "$2/yes/out"' sh "$TRY" "$D"
denied EROFS "by '..' from a write root" -- "$TRY" create "$D/yes/../no/new"
denied "EROFS|EXDEV" "rename out of a write root" -- "$TRY" rename "$D/yes/f" "$D/no/h"
denied "EROFS|EXDEV" "rename into a write root" -- "$TRY" rename "$D/no/f" "$D/yes/h"
is "what was not granted is as it was" "$(cd "$D/no" && find . | sort | tr '\n' ' ')" \
	". ./dir ./dir2 ./empty ./f ./g ./link "

inside "several write roots" "$(each ok ok EROFS)" \
	--allow-write "$D/no/dir" --allow-write "$D/no/f" -- sh -c '
	"$1" create "$2/no/dir/x"; "$1" append "$2/no/f"; "$1" create "$2/no/x"' sh "$TRY" "$D"

done_testing
