/*
 * ini.c: in place of inih where it does not exist for a Mac, so that everything else can
 * be linked. A program with this refuses every grant.
 */
#include <ini.h>

int
ini_parse_stream(ini_reader reader, void *stream, ini_handler handler, void *user)
{
	(void)reader;
	(void)stream;
	(void)handler;
	(void)user;
	return -1;
}
