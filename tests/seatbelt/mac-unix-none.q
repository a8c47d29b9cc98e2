deny  unixconnect /private/tmp/agent.sock
deny  unixbind /private/tmp/srun-501/abcdefgh/ipc
deny  unixconnect-nosock /private/tmp/srun-501/abcdefgh/ipc
deny  socket AF_UNIX
