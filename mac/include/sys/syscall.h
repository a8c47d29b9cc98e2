/* Calls by number: mac/compat.h names those that are made, mac/getdents.c has them. */
