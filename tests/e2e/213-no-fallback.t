#!/bin/sh
# no-fallback: a grant that bubblewrap cannot set up, though it works, ends the run. It is
# no reason to run without isolation, also with `auto`.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

echo | grant
inside "control: bubblewrap works" none -- "$TRY" caps

# never NAME REGEX OPTION...: with auto and pinned, 125 and nothing run
never() {
	what=$1 want=$2
	shift 2
	for isolation in auto bwrap; do
		refused "$what ($isolation)" "$want" -f "$T/grant.ini" --isolation "$isolation" "$@" -- touch "$W/started"
		unlike "$what ($isolation): not called unavailable" "$err" "isolation unavailable"
	done
	check_not "$what: nothing was started" test -e "$W/started"
}

# A path that is too long to be mounted.
deep=$D
while [ ${#deep} -lt 3900 ]; do
	deep=$deep/$(printf '%0180d' 0)
done
deep=$deep/$(printf "%0$((4092 - ${#deep}))d" 0)
(cd "$D" && IFS=/ && for part in ${deep#"$D/"}; do mkdir -p "$part" && cd "$part" || exit 1; done)
never "a path that is too long" "." --allow-write "$deep"

if is_root; then
	# One that the helper is told to mount and cannot: a bubblewrap that works for the probe
	# and fails for a grant.
	cat >"$T/stub" <<'END'
#!/bin/sh
# The arguments come by a descriptor, once: they are handed on as a file.
case $1 in
--args)
	cat <"/proc/self/fd/$2" >"$STUB_DIR/args.$$"
	if grep -qz '/marker$' "$STUB_DIR/args.$$"; then
		echo "bwrap: Can't mount marker" >&2
		exit 1
	fi
	exec "$STUB_DIR/real" --args 200 "${@:3}" 200<"$STUB_DIR/args.$$"
	;;
esac
exec "$STUB_DIR/real" "$@"
END
	sed -i "1s|.*|#!/bin/bash|; s|\$STUB_DIR|$T|g" "$T/stub"
	chmod 755 "$T/stub"
	cp /usr/bin/bwrap "$T/real"
	mkdir "$D/marker"
	wrapped() {
		unshare -m sh -c 'f=$1; shift; mount --bind "$f" /usr/bin/bwrap && exec "$@"' sh "$T/stub" "$@"
	}
	run wrapped "$SRUN" -q -f "$T/grant.ini" -- echo ran
	is "control: through the stub a run works" "$rc $out" "0 ran"
	run wrapped "$SRUN" -f "$T/grant.ini" --allow-write "$D/marker" -- touch "$W/started"
	is "a mount that fails: exit" "$rc" 125
	like "a mount that fails: bubblewrap's words" "$err" "^srun: bwrap cannot set up this grant: .*Can't mount marker"
	check_not "a mount that fails: nothing was started" test -e "$W/started"
	# One that it mounts elsewhere, of those that srun leaves to it: seen before the start.
	sed -i "s|echo \"bwrap: Can't mount marker\" >&2|sed -zi 's:^$D/marker\$:/usr:' '$T/args.'\$\$|; s|^\t\texit 1||" "$T/stub"
	run wrapped "$SRUN" -q -f "$T/grant.ini" --allow-write "$D/marker" -- touch "$W/started"
	is "a mount that is led elsewhere: exit" "$rc" 125
	like "a mount that is led elsewhere: named" "$err" "marker' is not mounted inside as planned"
	check_not "a mount that is led elsewhere: nothing was started" test -e "$W/started"
fi

done_testing
