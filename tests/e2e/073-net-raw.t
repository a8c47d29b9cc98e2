#!/bin/sh
# net-raw: raw bytes to the proxy of a restricted run: smuggling, splitting, spellings, TLS
# names, SOCKS. The origin's log is the judge.
. "$(dirname "$0")/../helpers/netfix.sh"
. "$(dirname "$0")/../lib.sh"

O=$D/origin
origin "$O"
# Controls: the bytes that must not come through do come through without srun.
/usr/bin/python3 - <<-'END'
	import socket
	for addr in ("203.0.113.5", "203.0.113.6", "10.9.8.7"):
	    s = socket.create_connection((addr, 8080), 5)
	    s.sendall(b"GET /control HTTP/1.1\r\n\r\n")
	    s.recv(100)
END
is 'control: every host is reached without srun' "$(grep -c 'raw .*control' "$O/log")" 3
: >"$O/log"

grant <<-END
	[sandbox]
	timeout = 40s
	[network]
	allow_domains = good.test:8080, *.good.test:8080, 10.9.8.7:8080
END
run srun_run -q -- /usr/bin/python3 -u "$TOP/tests/helpers/raw.py" "$O/log" </dev/null
[ "$rc" -eq 0 ] || diag "$err"
cases=$(grep -cE '^(not )?ok ' "$T/out")
grep -vE '^# cases' "$T/out" | awk -v n="$tests" '/^(not )?ok /{ sub(/ok [0-9]+/, "ok " ++n) } { print }'
failed=$((failed + $(grep -c '^not ok' "$T/out")))
tests=$((tests + cases))
check 'there are more than 80 cases, and all were tried' sh -c "[ $cases -gt 80 ] && grep -q '^# cases' '$T/out'"

done_testing
