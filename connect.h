/*
 * connect.h: "srun --connect HOST PORT": a connection through the run's proxy, as stdin and
 * stdout. For programs that know a command to connect with but no proxy: ssh, git.
 */
#ifndef SRUN_CONNECT_H
#define SRUN_CONNECT_H

/*
 * proxy is the value of SRUN_PROXY ("127.0.0.1:PORT"); NULL where there is none. Returns the
 * exit status: 0 when both directions have ended, 125 with a message otherwise.
 */
int connect_main(const char *proxy, const char *host, const char *port);

#endif
