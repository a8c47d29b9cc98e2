# Sockets of the run's own: tsx, vite and jest make them (claude-code#41254).
allow unixbind /private/tmp/srun-501/abcdefgh/ipc
allow unixconnect /private/tmp/srun-501/abcdefgh/ipc
