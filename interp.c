/*
 * interp.c: which interpreter a program file asks for, so that "not found" can be said of
 * the right file. Reads one file; everything in it is untrusted.
 */
#include "interp.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define HEAD_BYTES 4096

static const char *
script_interpreter(struct arena *a, const char *head, size_t n)
{
	size_t from = 2;
	while (from < n && (head[from] == ' ' || head[from] == '\t'))
		from++;
	size_t to = from;
	while (to < n && strchr(" \t\n", head[to]) == NULL && head[to] != '\0')
		to++;
	/* A file may end without a newline; a longer line than was read is no name. */
	if (to == from || to == HEAD_BYTES)
		return NULL;
	return arena_strndup(a, head + from, to - from);
}

/* Program headers and the name are within the first page of every linker's output. */
static const char *
program_interpreter(struct arena *a, const char *head, size_t n)
{
	Elf64_Ehdr eh;
	if (n < sizeof(eh) || head[EI_CLASS] != ELFCLASS64)
		return NULL;
	memcpy(&eh, head, sizeof(eh));
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		Elf64_Phdr ph;
		uint64_t at = eh.e_phoff + (uint64_t)i * sizeof(ph);
		if (eh.e_phoff > n || at + sizeof(ph) > n)
			return NULL;
		memcpy(&ph, head + at, sizeof(ph));
		if (ph.p_type != PT_INTERP)
			continue;
		if (ph.p_offset >= n || ph.p_filesz == 0 || ph.p_filesz > n - ph.p_offset)
			return NULL;
		size_t len = strnlen(head + ph.p_offset, (size_t)ph.p_filesz);
		return arena_strndup(a, head + ph.p_offset, len);
	}
	return NULL;
}

const char *
interp_of(struct arena *a, const char *file)
{
	char head[HEAD_BYTES];
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	ssize_t n = read(fd, head, sizeof(head));
	close(fd);
	if (n > 2 && memcmp(head, "#!", 2) == 0)
		return script_interpreter(a, head, (size_t)n);
	if (n > SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0)
		return program_interpreter(a, head, (size_t)n);
	return NULL;
}
