#!/bin/sh
# deny-self: srun's own files in a write root: the program, the grant and what narrows it,
# the state directory, wherever it may be looked for.
# It grants /tmp, where other tests live: names are held in their repositories.
# serial: yes
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/deny.sh"

cp "$SRUN" "$W/srun"
mkdir conf
cat >conf/srun.ini <<-END
	[filesystem]
	allow_write = $W
END
cp conf/srun.ini narrow.ini
cp conf/srun.ini "$T/grant.ini"
SRUN=$W/srun
before
# shellcheck disable=SC2317 # denied() and held() call it
srun_run() {
	"$SRUN" -f "$W/conf/srun.ini" --narrow "$W/narrow.ini" "$@"
}
for f in conf/srun.ini narrow.ini; do
	denied EROFS "$f: written" -- "$TRY" append "$W/$f"
	denied EBUSY "$f: removed" -- "$TRY" unlink "$W/$f"
	denied EBUSY "$f: replaced" -- "$ATTACK" replace "$W/$f"
	denied EBUSY "$f: renamed" -- "$TRY" rename "$W/$f" "$W/$f.away"
done
# The program runs meanwhile, so a control that takes it away could not be undone.
held "srun: written" "EROFS|ETXTBSY" "$TRY" open-write "$W/srun"
held "srun: removed" EBUSY "$TRY" unlink "$W/srun"
held "srun: renamed" EBUSY "$TRY" rename "$W/srun" "$W/srun.away"
held "srun: another in its place" "EBUSY|EXDEV" "$TRY" rename "$W/narrow.ini" "$W/srun"
held "srun: its mode" EROFS "$TRY" chmod "$W/srun"
denied EBUSY "the grant's directory: renamed" -- "$TRY" rename "$W/conf" "$W/conf.away"
denied EBUSY "the grant's directory: another in its place" -- "$ATTACK" swap "$W/conf" . srun.ini
ln -s conf/srun.ini link.ini
refused "a grant named by a link in a write root" "'$W/link.ini' is a link" -f "$W/link.ini" -- true
rm link.ini
run env SRUN_GRANT="$W/conf/srun.ini" "$SRUN" -q -- "$TRY" append "$W/conf/srun.ini"
is "a grant named by the environment" "$out" EROFS
for how in '-f - <"$1"' '--grant-fd 7 7<"$1"'; do
	run sh -c '"$2" -q '"$how"' -- "$3" append "$1"' sh "$W/conf/srun.ini" "$SRUN" "$TRY"
	is "a grant given by: $how" "$out" EROFS
	run sh -c '"$2" -q '"$how"' -- "$3" rename "$1" "$1.away"' sh "$W/conf/srun.ini" "$SRUN" "$TRY"
	is "renamed: $how" "$out" EBUSY
done
run sh -c 'cat "$1" | "$2" -q -f - -- "$3" append "$1"' sh "$W/conf/srun.ini" "$SRUN" "$TRY"
is "control: by a pipe nobody knows the file" "$out" ok
cp narrow.ini conf/srun.ini
run env SRUN_GRANT="$W/conf/srun.ini" "$SRUN" -q -f narrow.ini -- "$TRY" append "$W/conf/srun.ini"
is "a grant that the environment names and this run does not use" "$out" EROFS
mkdir cfg
run env XDG_CONFIG_HOME="$W/cfg" "$SRUN" -q -f narrow.ini -- "$TRY" mkdir "$W/cfg/srun"
is "the place where the next run would look first, missing" "$out" EEXIST
rmdir cfg
mkdir -p "$H/.config/srun"
cp conf/srun.ini "$H/.config/srun/srun.ini"
sed -i "s|^allow_write.*|allow_write = $W, $H|" "$H/.config/srun/srun.ini"
run "$SRUN" -q -- "$TRY" append "$H/.config/srun/srun.ini"
is "the user's own grant, when the home is a write root" "$out" EROFS
rm -r "$H/.config"

# ---- the state directory ----
# Other programs make and remove files in /tmp all the time; a start that met one is repeated.
srun_run() {
	for attempt in 1 2 3 4 5 6 7 8 9; do
		srun_rc=0
		"$SRUN" -f "$W/conf/srun.ini" --narrow "$W/narrow.ini" "$@" 2>"$T/attempt" || srun_rc=$?
		[ "$srun_rc" -eq 125 ] || break
		sleep "0.$attempt"
	done
	cat "$T/attempt" >&2
	return "$srun_rc"
}
state=/tmp/srun-$(id -u)
cat >conf/srun.ini <<-END
	[filesystem]
	allow_write = /tmp
	[sandbox]
	temp = host
END
cp conf/srun.ini narrow.ini
"$SRUN" -f conf/srun.ini -- true
# Other runs use it meanwhile: no control takes it away.
held "the state directory when /tmp is granted: a file in it" EACCES "$TRY" create "$state/new"
held "renamed" EBUSY "$TRY" rename "$state" "$state.away"
held "another in its place" EBUSY "$ATTACK" swap "$state" . forged.hold
held "a journal forged" EACCES "$ATTACK" at "$state" 0000000000000000.hold
mkdir -m 700 "$T/run"
export XDG_RUNTIME_DIR="$T/run"
held "the place that is used without a run-time directory, when there is one" \
	"EROFS|EBUSY|ENOTEMPTY" "$TRY" rmdir "$state"
held "and its content" EACCES "$TRY" create "$state/new"
cat >conf/srun.ini <<-END
	[filesystem]
	allow_write = $T
END
cp conf/srun.ini narrow.ini
held "the state directory in the run-time directory" EROFS "$TRY" create "$T/run/srun/new"
held "renamed" EBUSY "$TRY" rename "$T/run/srun" "$T/run/away"
held "the directory above" EBUSY "$TRY" rename "$T/run" "$T/away"
unset XDG_RUNTIME_DIR
rm -rf "$T/run"
held "a missing run-time directory is nobody's" ok "$TRY" mkdir "$T/run"

# ---- bubblewrap itself ----
if is_root; then
	cat >conf/srun.ini <<-END
		[filesystem]
		allow_write = /usr/bin, $W
	END
	cp conf/srun.ini narrow.ini
	bwrap=$(command -v bwrap)
	held "the bwrap in use, in a write root" "EROFS|ETXTBSY" "$TRY" open-write "$bwrap"
	held "removed" EBUSY "$TRY" unlink "$bwrap"
	like "--check says so" "$(srun_run --check)" "read-only +$bwrap "
fi

done_testing
