/*
 * batch.c: tries many things of one line each, from stdin, and says "allow" or "deny
 * ERRNO" for each: VERB, PATH and for some OTHER, tabs between. What succeeds is undone.
 *
 *	read readdir write create mkdir unlink rename renamedir link
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int
try_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0644);
	return fd < 0 ? -1 : close(fd);
}

static int
try_list(const char *path)
{
	DIR *d = opendir(path);
	return d == NULL ? -1 : closedir(d);
}

/* 0, or -1 with errno; undone when it was possible. */
static int
try_one(const char *verb, const char *path, const char *other)
{
	if (strcmp(verb, "read") == 0)
		return try_open(path, O_RDONLY);
	if (strcmp(verb, "readdir") == 0)
		return try_list(path);
	if (strcmp(verb, "write") == 0)
		return try_open(path, O_WRONLY);
	if (strcmp(verb, "create") == 0)
		return try_open(path, O_WRONLY | O_CREAT | O_EXCL) == 0 ? unlink(path)
		                                                        : -1;
	if (strcmp(verb, "mkdir") == 0)
		return mkdir(path, 0755) == 0 ? rmdir(path) : -1;
	if (strcmp(verb, "unlink") == 0)
		return unlink(path) == 0 ? try_open(path, O_WRONLY | O_CREAT | O_EXCL)
		                         : -1;
	if (strncmp(verb, "rename", 6) == 0)
		return rename(path, other) == 0 ? rename(other, path) : -1;
	if (strcmp(verb, "link") == 0)
		return link(path, other) == 0 ? unlink(other) : -1;
	errno = EINVAL;
	return -1;
}

int
main(void)
{
	char line[9000];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		char *path = strchr(line, '\t'),
		     *other = path ? strchr(path + 1, '\t') : NULL;
		if (other == NULL)
			return 2;
		*path = *other = '\0';
		if (try_one(line, path + 1, other + 1) == 0)
			printf("allow\n");
		else
			printf("deny %s\n", strerror(errno));
	}
	return 0;
}
