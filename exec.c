/*
 * exec.c: finding and executing the command; see exec.h. Runs in the child of inner,
 * inside the sandbox: what it finds is what the command would find.
 */
#include "exec.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interp.h"
#include "msg.h"
#include "path.h"
#include "sys.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

noreturn void
exec_report(int report, int code, int err, const char *text)
{
	struct exec_failure f = {err, code, (uint32_t)strlen(text)};
	if (sys_write_all(report, &f, sizeof(f)) == 0)
		(void)!write(report, text, f.len);
	_exit(code);
}

static char *const *
vector(const struct strv *v)
{
	static char *const empty[] = {NULL};
	return v->n > 0 ? (char *const *)(uintptr_t)v->v : empty;
}

/* A file without a magic number is a script of the shell, as execvp(3) has it. */
static void
exec_script(const struct image *im, const char *file)
{
	struct arena a = {NULL};
	struct strv argv = {NULL, 0};
	strv_push(&a, &argv, im->shell);
	strv_push(&a, &argv, file);
	for (size_t i = 1; i < im->argv.n; i++)
		strv_push(&a, &argv, im->argv.v[i]);
	execve(im->shell, vector(&argv), vector(&im->envp));
}

static int
try_exec(const struct image *im, const char *file)
{
	execve(file, vector(&im->argv), vector(&im->envp));
	if (errno == ENOEXEC)
		exec_script(im, file);
	return errno;
}

/* The file exists: then it is what it names that is missing or closed. */
static noreturn void
report_file(int report, const char *file, int err)
{
	struct arena a = {NULL};
	struct stat st;
	int code = err == ENOENT || err == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	if ((err == ENOENT || err == EACCES) && stat(file, &st) == 0 &&
	    S_ISREG(st.st_mode) && access(file, X_OK) == 0) {
		const char *interpreter = interp_of(&a, file);
		if (interpreter != NULL && access(interpreter, X_OK) != 0)
			exec_report(report, EXIT_NOT_EXECUTABLE, errno,
			    arena_printf(&a, "'%s': its interpreter '%s': %s", file,
			        interpreter, strerror(errno)));
	}
	if (err == EACCES && stat(file, &st) == 0 && S_ISDIR(st.st_mode))
		err = EISDIR;
	exec_report(report, code, err, arena_printf(&a, "'%s': %s", file, strerror(err)));
}

static const char *
env_path(const struct image *im)
{
	for (size_t i = 0; i < im->envp.n; i++)
		if (str_starts(im->envp.v[i], "PATH="))
			return im->envp.v[i] + 5;
	return DEFAULT_PATH;
}

noreturn void
exec_command(const struct image *im, int report)
{
	struct arena a = {NULL};
	const char *name = im->argv.v[0];
	if (strchr(name, '/') != NULL)
		report_file(report, name, try_exec(im, name));

	const char *found = NULL;
	int found_err = 0;
	const char *path = *name != '\0' ? env_path(im) : "";
	while (*path != '\0') {
		size_t n = strcspn(path, ":");
		/* An empty entry is the current directory, as in every shell. */
		const char *file = n == 0
		                       ? arena_printf(&a, "./%s", name)
		                       : arena_printf(&a, "%.*s/%s", (int)n, path, name);
		int err = try_exec(im, file);
		if (err != ENOENT && err != ENOTDIR && found == NULL) {
			found = file;
			found_err = err;
			if (err != EACCES)
				break;
		} else if (found == NULL && err == ENOENT && access(file, F_OK) == 0) {
			found = file;
			found_err = err;
		}
		path += n;
		path += *path == ':';
	}
	if (found != NULL)
		report_file(report, found, found_err);
	exec_report(report, EXIT_NOT_FOUND, ENOENT,
	    arena_printf(&a, "'%s': command not found", name));
}
