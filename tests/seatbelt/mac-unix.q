# by path, in the spelling of the kernel (safedep/pmg#307, agent-sandbox.nix#92)
allow unixconnect /private/tmp/agent.sock
allow unixconnect /tmp/agent.sock
allow unixconnect /var/run/docker.sock
deny  unixbind /private/tmp/agent.sock
deny  unixconnect /private/tmp/other.sock
deny  unixconnect /private/tmp/agent.sock/x
deny  unixconnect /var/run/mDNSResponder
allow unixbind /private/tmp/srun-501/abcdefgh/ipc
deny  tcp 127.0.0.1 40001
