allow unixconnect /private/tmp/agent.sock
allow unixbind /Users/a/p/s.sock
allow unixconnect /var/run/mDNSResponder
deny  tcp 1.1.1.1 443
deny  tcp 127.0.0.1 80
