/*
 * test_interp: which interpreter a file asks for, and files made to mislead.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interp.h"
#include "tap.h"

static struct arena arena;
static char dir[] = "/tmp/t-interp.XXXXXX";
static const char *file;

static const char *
interp_of_bytes(const void *data, size_t len)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		printf("Bail out! cannot write '%s'\n", file);
	close(fd);
	return interp_of(&arena, file);
}

/* ---- scripts ---- */

static void
test_scripts(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
	    {"#!/bin/sh\n", "/bin/sh"},
	    {"#!/bin/sh\necho\n", "/bin/sh"},
	    {"#! /bin/sh -e\n", "/bin/sh"},
	    {"#!\t /bin/sh\t-e\n", "/bin/sh"},
	    {"#!/usr/bin/env python3\n", "/usr/bin/env"},
	    {"#!/bin/sh\r\n", "/bin/sh\r"},
	    {"#!relative\n", "relative"},
	    {"#!/bin/sh", "/bin/sh"},
	    {"#!/", "/"},
	    {"#!\n", NULL},
	    {"#!", NULL},
	    {"#! \n/bin/sh\n", NULL},
	    {"#", NULL},
	    {"", NULL},
	    {" #!/bin/sh\n", NULL},
	    {"echo\n", NULL},
	};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		is_str(interp_of_bytes(rows[i].text, strlen(rows[i].text)), rows[i].want,
		    "a script, row %zu", i);
	is_str(interp_of_bytes("#!/bin/s\0h\n", 11), "/bin/s", "a NUL ends the name");

	char line[5000];
	memset(line, 'x', sizeof(line));
	memcpy(line, "#!/", 3);
	is_str(
	    interp_of_bytes(line, sizeof(line)), NULL, "a line without an end in sight");
	is_str(interp_of_bytes(line, 4096), NULL, "one as long as what is read");
	line[4095] = '\n';
	const char *got = interp_of_bytes(line, sizeof(line));
	is_int(got != NULL ? strlen(got) : 0, 4093, "a long name");
	memset(line + 2, ' ', sizeof(line) - 2);
	is_str(interp_of_bytes(line, sizeof(line)), NULL, "nothing but blanks");
}

/* ---- programs ---- */

#define ELF_BYTES 512
#define NAME_AT   300

struct elf {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[3];
	unsigned char image[ELF_BYTES];
};

/* A program with three headers, PT_INTERP the second. */
static void
elf_make(struct elf *e, const char *name)
{
	memset(e, 0, sizeof(*e));
	memcpy(e->eh.e_ident, ELFMAG, SELFMAG);
	e->eh.e_ident[EI_CLASS] = ELFCLASS64;
	e->eh.e_type = ET_DYN;
	e->eh.e_phoff = sizeof(e->eh);
	e->eh.e_phnum = 3;
	e->eh.e_phentsize = sizeof(e->ph[0]);
	e->ph[0].p_type = PT_PHDR;
	e->ph[1].p_type = PT_INTERP;
	e->ph[1].p_offset = NAME_AT;
	e->ph[1].p_filesz = strlen(name) + 1;
	e->ph[2].p_type = PT_LOAD;
	memcpy(e->image + NAME_AT, name, strlen(name) + 1);
}

static const char *
elf_interp(struct elf *e, size_t len)
{
	memcpy(e->image, &e->eh, sizeof(e->eh));
	memcpy(e->image + sizeof(e->eh), e->ph, sizeof(e->ph));
	return interp_of_bytes(e->image, len);
}

static void
test_programs(void)
{
	static const char name[] = "/lib64/ld-linux-x86-64.so.2";
	struct elf e;

	elf_make(&e, name);
	is_str(elf_interp(&e, ELF_BYTES), name, "a program");
	is_str(
	    elf_interp(&e, NAME_AT + sizeof(name)), name, "one that ends with the name");
	size_t cut = 0;
	for (size_t n = 0; n < NAME_AT + sizeof(name); n++)
		cut += elf_interp(&e, n) == NULL;
	is_int(cut, NAME_AT + sizeof(name), "each of its truncations has none");

	e.ph[1].p_type = PT_NULL;
	is_str(elf_interp(&e, ELF_BYTES), NULL, "a static program");
	elf_make(&e, name);
	e.eh.e_phnum = 0;
	is_str(elf_interp(&e, ELF_BYTES), NULL, "no program headers");
	elf_make(&e, name);
	e.eh.e_phnum = 0xffff;
	is_str(elf_interp(&e, ELF_BYTES), name,
	    "more headers than bytes, the right one first");
	e.ph[1].p_type = PT_NULL;
	is_str(elf_interp(&e, ELF_BYTES), NULL, "more headers than bytes");
	elf_make(&e, name);
	e.eh.e_ident[EI_CLASS] = ELFCLASS32;
	is_str(elf_interp(&e, ELF_BYTES), NULL, "a program of 32 bits");
	elf_make(&e, name);
	e.ph[1].p_filesz = 8;
	is_str(elf_interp(&e, ELF_BYTES), "/lib64/l",
	    "a name without its NUL ends with its size");
}

static void
test_numbers(void)
{
	static const uint64_t odd[] = {ELF_BYTES - 1, ELF_BYTES, ELF_BYTES + 1,
	    UINT32_MAX, INT64_MAX, 1ULL << 63, UINT64_MAX - 55, UINT64_MAX - 1,
	    UINT64_MAX};
	struct elf e;

	for (size_t i = 0; i < SRUN_ARRAY_LEN(odd); i++) {
		elf_make(&e, "/x");
		e.eh.e_phoff = odd[i];
		is_str(elf_interp(&e, ELF_BYTES), NULL, "headers at %#llx",
		    (unsigned long long)odd[i]);
		elf_make(&e, "/x");
		e.ph[1].p_filesz = odd[i];
		is_str(elf_interp(&e, ELF_BYTES), NULL, "a name of %#llx bytes",
		    (unsigned long long)odd[i]);
		elf_make(&e, "/x");
		e.ph[1].p_offset = odd[i];
		const char *got = elf_interp(&e, ELF_BYTES);
		ok(got == NULL || *got == '\0', "a name at %#llx",
		    (unsigned long long)odd[i]);
		elf_make(&e, "/x");
		e.ph[1].p_offset = odd[i];
		e.ph[1].p_filesz = UINT64_MAX - odd[i] + 2;
		is_str(elf_interp(&e, ELF_BYTES), NULL,
		    "a name that wraps around, at %#llx", (unsigned long long)odd[i]);
	}
}

/* A header that begins in the last bytes that are read. */
static void
test_last_header(void)
{
	static unsigned char page[4096];
	struct elf e;
	bool none = true;

	for (size_t back = 1; back < sizeof(e.ph[0]); back++) {
		elf_make(&e, "/x");
		e.eh.e_phoff = sizeof(page) - back;
		memset(page, PT_INTERP, sizeof(page));
		memcpy(page, &e.eh, sizeof(e.eh));
		none = none && interp_of_bytes(page, sizeof(page)) == NULL;
	}
	ok(none, "headers that begin in the last bytes");
}

/* ---- anything ---- */

static void
test_noise(void)
{
	static unsigned char noise[64 * 1024];
	unsigned seed = 99;
	struct elf e;

	for (int round = 0; round < 200; round++) {
		for (size_t i = 0; i < sizeof(noise); i++) {
			seed = seed * 1103515245 + 12345;
			noise[i] = (unsigned char)(seed >> 24);
		}
		if (round % 4 == 1)
			memcpy(noise, "#!", 2);
		if (round % 4 >= 2) {
			memcpy(noise, ELFMAG, SELFMAG);
			noise[EI_CLASS] = ELFCLASS64;
		}
		const char *got = interp_of_bytes(noise, sizeof(noise));
		if (got != NULL && strlen(got) > sizeof(noise))
			ok(false, "noise %d", round);
	}
	ok(true, "200 times 64 KiB of noise are read without harm");
	for (int round = 0; round < 5000; round++) {
		elf_make(&e, "/lib/ld.so");
		unsigned char *h = (unsigned char *)&e; /* headers lie in front */
		for (int k = 0; k < 3; k++) {
			seed = seed * 1103515245 + 12345;
			h[(seed >> 16) % (sizeof(e.eh) + sizeof(e.ph))] =
			    (unsigned char)(seed >> 8);
		}
		const char *got = elf_interp(&e, ELF_BYTES);
		if (got != NULL && strlen(got) > ELF_BYTES)
			ok(false, "mutation %d", round);
		if (round % 100 == 0)
			arena_free(&arena);
	}
	ok(true, "5000 mutations of a program are read without harm");
}

static void
test_no_file(void)
{
	const char *fifo = arena_printf(&arena, "%s/fifo", dir);

	is_str(interp_of(&arena, "/nonexistent/x"), NULL, "a file that is missing");
	is_str(interp_of(&arena, dir), NULL, "a directory");
	ok(mkfifo(fifo, 0600) == 0 && interp_of(&arena, fifo) == NULL,
	    "a FIFO is not waited for");
	unlink(fifo);
	const char *name = arena_printf(&arena, "%s/sh", dir);
	ok(symlink(file, name) == 0, "a link is made");
	interp_of_bytes("#!/bin/x\n", 9);
	is_str(interp_of(&arena, name), "/bin/x", "a link is followed");
	unlink(name);
}

int
main(void)
{
	static char name[sizeof(dir) + 8];

	if (mkdtemp(dir) == NULL) {
		printf("Bail out! no temporary directory\n");
		return 1;
	}
	snprintf(name, sizeof(name), "%s/file", dir);
	file = name;
	test_scripts();
	test_programs();
	test_numbers();
	test_last_header();
	test_noise();
	test_no_file();
	unlink(file);
	rmdir(dir);
	arena_free(&arena);
	return done();
}
