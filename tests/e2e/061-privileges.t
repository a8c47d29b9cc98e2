#!/bin/sh
# privileges: no capability in any set and none to be had, for root as for everybody else.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

echo | grant
inside "no capability in any set" none -- "$TRY" caps
inside "no_new_privs" 1 -- "$TRY" nnp
inside "a filter is in force" 2 -- "$TRY" status Seccomp
inside "for the first process too" "2 1" -- sh -c '
	echo $(sed -n "s/^Seccomp:[^0-9]*//p;" /proc/1/status) $(sed -n "s/^NoNewPrivs:[^0-9]*//p" /proc/1/status)'
inside "the caller's ids" "$(id -u):$(id -g)" -- sh -c 'echo "$(id -u):$(id -g)"'
inside "the same with the host's network" "$(each none 1)" --net all -- sh -c '"$1" caps; "$1" nnp' sh "$TRY"
inside "in a grandchild" none -- sh -c 'sh -c "\"$1\" caps; true" sh "$1"' sh "$TRY"
cp "$TRY" "$W/setuid" && chmod 4755 "$W/setuid"
inside "a setuid program gives nothing" none -- "$W/setuid" caps
if is_root; then
	chown 1501:1501 "$W/setuid" && chmod 6755 "$W/setuid"
	is "control: it changes the user bare" "$("$W/setuid" status Uid | cut -f 2)" 1501
	inside "a setuid program changes no user" 0 -- sh -c '"$1" status Uid | cut -f 2' sh "$W/setuid"
	for call in bpf perf clock-settime; do
		[ "$("$TRY" "$call")" = ok ] || continue
		denied EPERM "$call" -- "$TRY" "$call"
	done
	echo text >"$D/f"
	chmod 0 "$D/f"
	chown 1501:1501 "$D/f"
	denied EACCES "root reads no file that its mode closes" -- "$TRY" open-read "$D/f"
	echo text >"$W/f"
	chown 1501:1501 "$W/f"
	denied "EPERM|EACCES" "nor changes somebody else's" -- "$TRY" chmod "$W/f"
fi
for call in io-uring userfaultfd; do
	[ "$("$TRY" "$call")" = ok ] || continue
	denied "ENOSYS|EPERM" "$call" -- "$TRY" "$call"
done

done_testing
