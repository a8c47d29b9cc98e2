#!/bin/sh
# net-proxy-killed: without its proxy a run ends: 125, and nothing of it is left.
# user: root
. "$(dirname "$0")/../lib.sh"

printf '[network]\nallow_domains = good.test\n' >"$T/grant.ini"
# Any process of the network: the proxy has an epoll, and is looked for among srun's children.
# shellcheck disable=SC2013 # words of one line
proxy_of() {
	for pid in $(cat "/proc/$1/task/$1/children"); do
		if find "/proc/$pid/fd" -lname '*eventpoll*' 2>/dev/null | grep -q .; then
			echo "$pid"
		fi
	done
}
killed() {
	rm -f "$T/started"
	"$SRUN" -f "$T/grant.ini" --allow-write "$T" sh -c "touch '$T/started'; setsid sleep 4711 & sleep 4712" >"$T/out" 2>"$T/err" </dev/null &
	srun=$!
	wait_for 10 test -e "$T/started"
	wait_for 5 sh -c "ps ax | grep -q '[s]leep 4711'"
	proxy=$(proxy_of "$srun")
	is "signal $1: the proxy is found" "$(echo "$proxy" | wc -w)" 1
	kill "-$1" "$proxy"
	rc=0
	wait "$srun" || rc=$?
	is "signal $1: the run ends with 125" "$rc" 125
	like "signal $1: and says why" "$(cat "$T/err")" '^srun: the proxy of the run ended$'
	is "signal $1: the tree is gone" "$(pgrep -fx 'sleep 471[12]')" ''
}
killed KILL
killed SEGV

done_testing
