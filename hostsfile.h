/*
 * hostsfile.h: a line of hosts(5). Pure. The resolver reads that file itself: a name that
 * is looked up as absolute ends in a dot, and with the dot neither musl nor glibc finds it
 * there.
 */
#ifndef SRUN_HOSTSFILE_H
#define SRUN_HOSTSFILE_H

#include "hostname.h"

/*
 * Whether the line (without its newline, any bytes) gives name an address. name is
 * canonical; case and one dot at the end do not matter in the file. A line whose first
 * word is no address written out gives nothing.
 */
bool hosts_line(const char *line, size_t len, const char *name, struct host_addr *out);

#endif
