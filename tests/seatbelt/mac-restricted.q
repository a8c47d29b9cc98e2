# one port, TCP alone; no look-up by another way
allow tcp 127.0.0.1 40001
allow tcp ::1 40001
deny  udp 127.0.0.1 40001
deny  tcp ::ffff:127.0.0.1 40001
deny  tcp 127.0.0.1 40002
deny  tcp 127.0.0.1 5432
deny  tcp 1.1.1.1 443
deny  tcp 1.1.1.1 40001
deny  tcp 169.254.169.254 80
deny  udp 8.8.8.8 53
deny  listen 127.0.0.1 3000
deny  unixconnect /var/run/mDNSResponder
allow mach com.apple.trustd.agent
