#!/bin/sh
# temp-tmp: temp = tmp makes /tmp and /var/tmp private and empty, but for what the grant
# names there and a working directory below them.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

tmp=$(mktemp -d /tmp/t-srun-tmp.XXXXXX) || exit 1
var=$(mktemp -d /var/tmp/t-srun-tmp.XXXXXX) || exit 1
trap 'rm -rf "$tmp" "$var"; clean_up' EXIT
mkdir "$tmp/src" "$tmp/granted" "$tmp/read" "$tmp/granted/shut"
for dir in src granted read granted/shut; do
	echo text >"$tmp/$dir/f"
done
cd "$tmp/src" || exit 1

grant <<-END
	[sandbox]
	temp = tmp
	[filesystem]
	allow_write = $tmp/granted
	allow_read = $tmp/read, $HELPERS
	deny_read = $tmp/granted/shut
END
inside "the working directory is there" "$(each "$tmp/src" f)" -- sh -c 'pwd -P; ls'
inside "and written on the host" ok -- sh -c ': >made && echo ok'
check "where it stays" test -e "$tmp/src/made"
inside "a granted path is there" "$(each text ok)" -- sh -c 'cat "$1/granted/f"; "$2" create "$1/granted/x"' sh "$tmp" "$TRY"
inside "a path granted for reading is there, read-only" "$(each text EROFS)" -- \
	sh -c 'cat "$1/read/f"; "$2" create "$1/read/x"' sh "$tmp" "$TRY"
inside "a closed path in a granted one is closed" EACCES -- "$TRY" open-read "$tmp/granted/shut/f"
denied ENOENT "what no line names is not there" -- "$TRY" stat "$var"
denied ENOENT "nor in /tmp" -- "$TRY" stat "$base"
inside "nothing else of /var/tmp" '' -- ls -A /var/tmp
inside "/tmp can be written, /var/tmp too" ok -- sh -c \
	'echo 1 >/tmp/$1 && echo 2 >/var/tmp/$1 && cat /tmp/$1 /var/tmp/$1 >/dev/null && mkdir /tmp/$1.d && echo ok' sh "x.$$"
inside "with the mode of a /tmp" "$(each 1777 1777)" -- stat -c %a /tmp /var/tmp
check_not "and nothing of it stays" test -e "/tmp/x.$$"
inside "TMPDIR is there" ok -- sh -c ': >"$TMPDIR/x" && f=$(mktemp) && echo ok'

grant <<-END
	[sandbox]
	temp = tmp
	working_directory = temp
END
inside "a temporary working directory too" ok -- sh -c ': >x && cd "$(pwd -P)" && ls x >/dev/null && echo ok'

# What contradicts it is said.
for key in allow_write allow_read; do
	grant_refused "$key = /tmp" "grant.ini:4: $key '/tmp' can have no effect with temp 'tmp'" <<-END
		[sandbox]
		temp = tmp
		[filesystem]
		$key = /tmp
	END
done
grant <<-END
	[sandbox]
	temp = tmp
END
for dir in /tmp /var/tmp; do
	refused "in $dir itself" "temp 'tmp' hides the working directory '$dir'" -f "$T/grant.ini" --cwd "$dir" -- true
done

# A host whose /var/tmp is a link.
if is_root; then
	inside_link() {
		unshare -m sh -c '
			mount --rbind /var "$1" && mount -t tmpfs none /var && mkdir /var/lib && ln -s ../tmp /var/tmp || exit 99
			shift; exec "$@"' sh "$T" "$SRUN" -q -f "$tmp/grant.ini" -- "$@" 2>&1
	}
	printf '[sandbox]\ntemp = tmp\n' >"$tmp/grant.ini"
	is "/var/tmp is a link to /tmp" "$(inside_link sh -c ': >"/var/tmp/$1" && ls /tmp | grep -v -e src -e t-srun -e srun' sh "x.$$")" "x.$$"
	check_not "and nothing of it stays, by that name" test -e "/tmp/x.$$"
fi

done_testing
