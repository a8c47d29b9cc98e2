/*
 * deny_set.c: the mandatory deny set as a table. A file belongs here when it runs or
 * steers something on the host without anyone choosing to run project code: at a prompt,
 * on cd, when an editor opens, on git status, at login. A Makefile does not.
 * No system call.
 */
#include "deny_set.h"

#include <string.h>
#include <strings.h>

#include "util.h"

#define SHELL_START "a shell runs it when it starts or ends"
#define LOGIN       "read at login or by the session"
#define GIT_RUNS    "git runs programs that it names"
#define HG_RUNS     "Mercurial runs programs that it names"
#define TERMINAL    "a terminal multiplexer runs it when it starts"
#define DIRECTORY   "a tool runs it on entering the directory"
#define EDITOR      "an editor runs or obeys it on opening"
#define AGENT       "an agent obeys it on starting here"
#define PACKAGES    "a package manager obeys it everywhere"

#define HOME(path, reason)                                                               \
	{                                                                                \
		DENY_HOME, path, HOLD_DIR, WHERE_ROOT, reason                            \
	}
#define HOME_FILE(path, reason)                                                          \
	{                                                                                \
		DENY_HOME, path, HOLD_EMPTY_FILE, WHERE_ROOT, reason                     \
	}
#define TREE(path, reason)                                                               \
	{                                                                                \
		DENY_TREE, path, HOLD_DIR, WHERE_ROOT, reason                            \
	}
#define TREE_REPO(path, reason)                                                          \
	{                                                                                \
		DENY_TREE, path, HOLD_DIR, WHERE_REPO, reason                            \
	}
#define TREE_INSIDE(path, reason)                                                        \
	{                                                                                \
		DENY_TREE, path, HOLD_EMPTY_FILE, WHERE_INSIDE, reason                   \
	}
#define TREE_FOUND(path, reason)                                                         \
	{                                                                                \
		DENY_TREE, path, HOLD_NONE, WHERE_ROOT, reason                           \
	}
#define GIT(path, hold, reason)                                                          \
	{                                                                                \
		DENY_GIT, path, hold, WHERE_ROOT, reason                                 \
	}

const struct deny_entry deny_set[] = {
    /* ---- the home ---- */
    HOME(".bashrc", SHELL_START),
    HOME(".bash_profile", SHELL_START),
    HOME(".bash_login", SHELL_START),
    HOME(".bash_logout", SHELL_START),
    HOME(".bash_aliases", SHELL_START),
    HOME(".profile", SHELL_START),
    HOME(".zshrc", SHELL_START),
    HOME(".zshenv", SHELL_START),
    HOME(".zprofile", SHELL_START),
    HOME(".zlogin", SHELL_START),
    HOME(".zlogout", SHELL_START),
    HOME(".kshrc", SHELL_START),
    HOME(".mkshrc", SHELL_START),
    HOME(".cshrc", SHELL_START),
    HOME(".tcshrc", SHELL_START),
    HOME(".login", SHELL_START),
    HOME(".logout", SHELL_START),
    HOME(".config/fish", SHELL_START),
    HOME(".bashrc.d", SHELL_START),
    HOME(".inputrc", "every interactive shell obeys it"),
    HOME(".pam_environment", LOGIN),
    HOME(".xprofile", LOGIN),
    HOME(".xinitrc", LOGIN),
    HOME(".xsession", LOGIN),
    HOME(".config/i3", LOGIN),
    HOME(".config/sway", LOGIN),
    HOME(".config/hypr", LOGIN),
    HOME(".config/plasma-workspace", LOGIN),
    HOME(".config/direnv", DIRECTORY),
    HOME(".direnvrc", DIRECTORY),
    HOME(".local/share/direnv", "direnv runs what it lists as allowed"),
    HOME(".config/mise", DIRECTORY),
    HOME(".tmux.conf", TERMINAL),
    HOME(".config/tmux", TERMINAL),
    HOME(".screenrc", TERMINAL),
    HOME(".lessfilter", "a pager runs it"),
    HOME(".hgrc", HG_RUNS),
    HOME(".config/hg", HG_RUNS),
    HOME(".ssh", "ssh obeys it, and sshd lets in who it names"),
    HOME(".gnupg/gpg.conf", "gpg obeys it"),
    HOME(".gnupg/gpg-agent.conf", "gpg-agent runs programs that it names"),
    HOME(".gnupg/dirmngr.conf", "gpg obeys it"),
    HOME(".gnupg/scdaemon.conf", "gpg runs programs that it names"),
    HOME_FILE(".gitconfig", GIT_RUNS),
    HOME_FILE(".config/git/config", GIT_RUNS),
    HOME(".config/git/attributes", GIT_RUNS),
    HOME(".config/autostart", LOGIN),
    HOME(".config/systemd", LOGIN),
    HOME(".config/environment.d", LOGIN),
    HOME(".local/share/applications", "a desktop starts programs by it"),
    HOME(".local/share/dbus-1", "the session bus starts programs by it"),
    HOME(".local/share/systemd", LOGIN),
    HOME(".npmrc", PACKAGES),
    HOME(".pypirc", PACKAGES),
    HOME(".cargo/config", PACKAGES),
    HOME(".cargo/config.toml", PACKAGES),
    HOME(".config/pip", PACKAGES),
    HOME(".pip", PACKAGES),
    HOME(".vimrc", EDITOR),
    HOME(".vim", EDITOR),
    HOME(".config/nvim", EDITOR),
    HOME(".emacs", EDITOR),
    HOME(".emacs.d", EDITOR),
    HOME(".config/emacs", EDITOR),
    HOME(".nanorc", EDITOR),
    HOME(".config/srun", "srun's own grant"),

    /* ---- any depth of a write root ---- */
    TREE_FOUND(".bashrc", SHELL_START),
    TREE_FOUND(".bash_profile", SHELL_START),
    TREE_FOUND(".bash_login", SHELL_START),
    TREE_FOUND(".bash_logout", SHELL_START),
    TREE_FOUND(".bash_aliases", SHELL_START),
    TREE_FOUND(".profile", SHELL_START),
    TREE_FOUND(".zshrc", SHELL_START),
    TREE_FOUND(".zshenv", SHELL_START),
    TREE_FOUND(".zprofile", SHELL_START),
    TREE_FOUND(".zlogin", SHELL_START),
    TREE_FOUND(".zlogout", SHELL_START),
    TREE_FOUND(".kshrc", SHELL_START),
    TREE_FOUND(".cshrc", SHELL_START),
    TREE_FOUND(".tcshrc", SHELL_START),
    TREE_FOUND(".gitconfig", GIT_RUNS),
    /* Missing it is not held: git warns of a directory there on each fetch, and a new one
       acts only when somebody runs "git submodule". The exit check tells. */
    TREE_FOUND(".gitmodules", "git fetches what it names"),
    TREE_INSIDE(".hg/hgrc", HG_RUNS),
    TREE_INSIDE(".hg/hgrc-not-shared", HG_RUNS),
    TREE_INSIDE(".hg/sharedpath", "Mercurial takes its configuration from there"),
    TREE_REPO(".husky", "git hooks of the project"),
    TREE_REPO(".pre-commit-config.yaml", "git hooks of the project"),
    TREE_FOUND("lefthook.yml", "git hooks of the project"),
    TREE_FOUND(".lefthook.yml", "git hooks of the project"),
    TREE(".envrc", DIRECTORY),
    TREE(".mise.toml", DIRECTORY),
    TREE(".tool-versions", DIRECTORY),
    TREE_FOUND(".mise", DIRECTORY),
    TREE_FOUND("mise.toml", DIRECTORY),
    TREE(".exrc", EDITOR),
    TREE_FOUND(".vimrc", EDITOR),
    TREE_FOUND(".nvimrc", EDITOR),
    TREE(".nvim.lua", EDITOR),
    TREE(".dir-locals.el", EDITOR),
    TREE(".gdbinit", "a debugger runs it on starting here"),
    TREE(".lldbinit", "a debugger runs it on starting here"),
    TREE(".vscode", EDITOR),
    TREE(".idea", EDITOR),
    TREE(".fleet", EDITOR),
    TREE(".zed", EDITOR),
    TREE(".devcontainer", EDITOR),
    TREE_FOUND(".devcontainer.json", EDITOR),
    TREE_FOUND("*.code-workspace", EDITOR),
    TREE(".mcp.json", AGENT),
    TREE(".claude/settings.json", AGENT),
    TREE(".claude/settings.local.json", AGENT),
    TREE(".claude/commands", AGENT),
    TREE(".claude/agents", AGENT),
    TREE(".claude/hooks", AGENT),
    TREE(".claude/skills", AGENT),
    TREE(".cursor", AGENT),
    TREE(".codex", AGENT),
    TREE(".gemini", AGENT),
    TREE(".agents", AGENT),
    /* Of these too many would be seen in every directory, were the missing ones held. */
    TREE_FOUND(".opencode", AGENT),
    TREE_FOUND("opencode.json", AGENT),
    TREE_FOUND(".kiro", AGENT),
    TREE_FOUND(".qwen", AGENT),
    TREE_FOUND(".roo", AGENT),
    TREE_FOUND(".windsurf", AGENT),
    TREE_FOUND(".amazonq", AGENT),
    TREE_FOUND(".aider.conf.yml", AGENT),
    TREE_FOUND(".crush.json", AGENT),
    TREE_FOUND("crush.json", AGENT),

    /* ---- every git directory ---- */
    GIT("hooks", HOLD_DIR, "git runs what is in it"),
    GIT("config", HOLD_EMPTY_FILE, GIT_RUNS),
    GIT("config.worktree", HOLD_EMPTY_FILE, GIT_RUNS),
    GIT("commondir", HOLD_DOT_FILE,
        "git takes hooks and configuration from where it points"),
    GIT("info/attributes", HOLD_DIR, "git runs filters that it names"),
};
const size_t deny_set_size = SRUN_ARRAY_LEN(deny_set);

#define MOVED(variable, prefix)                                                          \
	{                                                                                \
		variable, prefix, sizeof(prefix) - 1                                     \
	}

const struct deny_move deny_moves[] = {
    MOVED("XDG_CONFIG_HOME", ".config/"),
    MOVED("XDG_DATA_HOME", ".local/share/"),
    MOVED("GNUPGHOME", ".gnupg/"),
    MOVED("CARGO_HOME", ".cargo/"),
    {"ZDOTDIR", ".z", 0},
};
const size_t deny_moves_size = SRUN_ARRAY_LEN(deny_moves);

const char *const deny_named[] = {"ENV", "BASH_ENV", "INPUTRC", "PYTHONSTARTUP", NULL};

static bool
same_name(const char *want, const char *name, size_t len, bool fold)
{
	if (strlen(name) != len)
		return false;
	return fold ? strncasecmp(want, name, len) == 0 : memcmp(want, name, len) == 0;
}

static bool
ends_with(const char *name, const char *suffix, bool fold)
{
	size_t n = strlen(name), m = strlen(suffix);
	if (n < m)
		return false;
	return fold ? strcasecmp(name + n - m, suffix) == 0
	            : strcmp(name + n - m, suffix) == 0;
}

static bool
matches(const struct deny_entry *e, const char *parent, const char *name, bool fold)
{
	const char *slash = strchr(e->path, '/');
	if (e->path[0] == '*')
		return ends_with(name, e->path + 1, fold);
	if (slash == NULL)
		return same_name(e->path, name, strlen(e->path), fold);
	return same_name(e->path, parent, (size_t)(slash - e->path), fold) &&
	       same_name(slash + 1, name, strlen(slash + 1), fold);
}

const struct deny_entry *
deny_set_tree(const char *parent, const char *name, bool fold)
{
	for (size_t i = 0; i < deny_set_size; i++)
		if (deny_set[i].scope == DENY_TREE &&
		    matches(&deny_set[i], parent, name, fold))
			return &deny_set[i];
	return NULL;
}

const struct deny_entry *
deny_set_way(const char *name, bool fold)
{
	for (size_t i = 0; i < deny_set_size; i++) {
		const char *slash = strchr(deny_set[i].path, '/');
		if (deny_set[i].scope == DENY_TREE && slash != NULL &&
		    same_name(
		        deny_set[i].path, name, (size_t)(slash - deny_set[i].path), fold))
			return &deny_set[i];
	}
	return NULL;
}

bool
deny_set_maybe(const char *name)
{
	static const char *const plain[] = {
	    "mise.toml", "lefthook.yml", "opencode.json", "crush.json"};
	if (name[0] == '.')
		return true;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(plain); i++)
		if ((name[0] | 0x20) == plain[i][0] && strcasecmp(name, plain[i]) == 0)
			return true;
	return ends_with(name, ".code-workspace", true);
}
