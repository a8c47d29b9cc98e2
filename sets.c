/*
 * sets.c: the named sets of a grant, as tables.
 *
 * Owns which paths and domains a name like "@credentials" stands for. Pure data and one
 * look-up; whether a member exists on this host is host.c's to find out, so a row costs
 * nothing where the program is not installed. A set must only hold what its name says:
 * a domain that serves other people's uploads as well does not belong here.
 */
#include <string.h>

#include "sets.h"
#include "util.h"

/* One text a set, as sets.h has it: a table of pointers would be four times as large. */

static const char credentials[] =
    /* remote shells and signing keys */
    "~/.ssh\0"
    "~/.gnupg\0"
    "~/.putty\0"
    "~/.config/sops/age\0"
    "~/.config/age\0"
    "~/.minisign\0"
    "~/.krb5\0"
    "~/.config/krb5\0"
    /* cloud providers */
    "~/.aws\0"
    "~/.config/gcloud\0"
    "~/.boto\0"
    "~/.azure\0"
    "~/.oci\0"
    "~/.config/oci\0"
    "~/.aliyun\0"
    "~/.tccli\0"
    "~/.bluemix\0"
    "~/.config/doctl\0"
    "~/Library/Application Support/doctl\0"
    "~/.config/hcloud\0"
    "~/.config/linode-cli\0"
    "~/.config/scw\0"
    "~/.config/exoscale\0"
    "~/.config/flyctl\0"
    "~/.fly\0"
    "~/.config/heroku\0"
    "~/.local/share/heroku\0"
    "~/.config/netlify\0"
    "~/.local/share/com.vercel.cli\0"
    "~/Library/Application Support/com.vercel.cli\0"
    "~/.wrangler\0"
    "~/.config/.wrangler\0"
    "~/.config/openstack\0"
    "~/.config/rclone\0"
    "~/.s3cfg\0"
    "~/.mc\0"
    "~/.terraform.d/credentials.tfrc.json\0"
    "~/.terraformrc\0"
    "~/.pulumi/credentials.json\0"
    "~/.vault-token\0"
    "~/.databrickscfg\0"
    "~/.snowflake\0"
    "~/.kaggle\0"
    "~/.config/kaggle\0"
    "~/.cache/huggingface/token\0"
    "~/.cache/huggingface/stored_tokens\0"
    "~/.huggingface\0"
    /* containers and clusters */
    "~/.docker\0"
    "~/.config/containers/auth.json\0"
    "~/.kube\0"
    "~/.config/helm\0"
    "~/.helm\0"
    "~/Library/Preferences/helm\0"
    "~/.config/argocd\0"
    "~/.minikube\0"
    "~/.talos\0"
    /* package registry tokens */
    "~/.npmrc\0"
    "~/.config/npm\0"
    "~/.yarnrc.yml\0"
    "~/.config/pnpm/rc\0"
    "~/.bunfig.toml\0"
    "~/.pypirc\0"
    "~/.config/pypoetry\0"
    "~/Library/Application Support/pypoetry\0"
    "~/.pip/pip.conf\0"
    "~/.config/pip\0"
    "~/.local/share/uv/credentials\0"
    "~/.condarc\0"
    "~/.cargo/credentials\0"
    "~/.cargo/credentials.toml\0"
    "~/.gem/credentials\0"
    "~/.local/share/gem/credentials\0"
    "~/.bundle/config\0"
    "~/.composer/auth.json\0"
    "~/.config/composer/auth.json\0"
    "~/.m2/settings.xml\0"
    "~/.m2/settings-security.xml\0"
    "~/.gradle/gradle.properties\0"
    "~/.sbt/.credentials\0"
    "~/.sbt/credentials\0"
    "~/.ivy2/.credentials\0"
    "~/.nuget/NuGet\0"
    "~/.config/NuGet\0"
    "~/.hex\0"
    "~/.config/hex\0"
    "~/.pub-cache/credentials.json\0"
    "~/.config/dart/pub-credentials.json\0"
    "~/.pause\0"
    "~/.config/cachix\0"
    "~/.config/nix/netrc\0"
    /* forges, version control, mail and databases */
    "~/.netrc\0"
    "~/_netrc\0"
    "~/.git-credentials\0"
    "~/.config/git/credentials\0"
    "~/.git-credential-cache\0"
    "~/.cache/git/credential\0"
    "~/.config/gh\0"
    "~/.config/hub\0"
    "~/.config/glab-cli\0"
    "~/Library/Application Support/glab-cli\0"
    "~/.config/tea\0"
    "~/.subversion/auth\0"
    "~/.pgpass\0"
    "~/.my.cnf\0"
    "~/.mylogin.cnf\0"
    "~/.config/pgcli\0"
    "~/.config/msmtp\0"
    "~/.msmtprc\0"
    "~/.mutt\0"
    "~/.config/neomutt\0"
    "~/.fetchmailrc\0"
    "~/.config/ngrok\0"
    "~/.ngrok2\0"
    "~/.cloudflared\0"
    "~/.config/tailscale\0"
    "~/.smbcredentials\0"
    "~/.davfs2/secrets\0"
    /* agents and assistants */
    "~/.claude/.credentials.json\0"
    "~/.codex/auth.json\0"
    "~/.gemini/oauth_creds.json\0"
    "~/.config/github-copilot\0"
    "~/.local/share/opencode/auth.json\0"
    /* browser profiles and mail programs */
    "~/.mozilla\0"
    "~/.config/mozilla\0"
    "~/.thunderbird\0"
    "~/.icedove\0"
    "~/.librewolf\0"
    "~/.waterfox\0"
    "~/.config/chromium\0"
    "~/.config/google-chrome\0"
    "~/.config/google-chrome-beta\0"
    "~/.config/google-chrome-unstable\0"
    "~/.config/BraveSoftware\0"
    "~/.config/microsoft-edge\0"
    "~/.config/microsoft-edge-beta\0"
    "~/.config/microsoft-edge-dev\0"
    "~/.config/vivaldi\0"
    "~/.config/opera\0"
    "~/.local/share/epiphany\0"
    "~/.local/share/qutebrowser\0"
    "~/.local/share/evolution\0"
    "~/.config/evolution\0"
    "~/snap/firefox\0"
    "~/snap/chromium\0"
    "~/snap/brave\0"
    "~/snap/thunderbird\0"
    "~/.var/app/org.mozilla.firefox\0"
    "~/.var/app/org.mozilla.Thunderbird\0"
    "~/.var/app/org.chromium.Chromium\0"
    "~/.var/app/com.google.Chrome\0"
    "~/.var/app/com.brave.Browser\0"
    "~/.var/app/com.microsoft.Edge\0"
    "~/Library/Application Support/Firefox\0"
    "~/Library/Application Support/Google/Chrome\0"
    "~/Library/Application Support/Chromium\0"
    "~/Library/Application Support/BraveSoftware\0"
    "~/Library/Application Support/Microsoft Edge\0"
    "~/Library/Application Support/Vivaldi\0"
    "~/Library/Application Support/Arc\0"
    "~/Library/Thunderbird\0"
    "~/Library/Safari\0"
    "~/Library/Containers/com.apple.Safari\0"
    "~/Library/Cookies\0"
    "~/Library/Mail\0"
    /* password stores */
    "~/.password-store\0"
    "~/.local/share/password-store\0"
    "~/.local/share/gopass\0"
    "~/.config/gopass\0"
    "~/.local/share/keyrings\0"
    "~/.gnome2/keyrings\0"
    "~/.local/share/kwalletd\0"
    "~/.kde/share/apps/kwallet\0"
    "~/.kde4/share/apps/kwallet\0"
    "~/.pki\0"
    "~/.config/Bitwarden\0"
    "~/.config/Bitwarden CLI\0"
    "~/.config/1Password\0"
    "~/.config/op\0"
    "~/.op\0"
    "~/.1password\0"
    "~/.config/keepassxc\0"
    "~/.cache/keepassxc\0"
    "~/.config/lastpass\0"
    "~/.lpass\0"
    "~/.local/share/lpass\0"
    "~/.config/rbw\0"
    "~/.cache/rbw\0"
    "~/.var/app/com.bitwarden.desktop\0"
    "~/.var/app/com.onepassword.OnePassword\0"
    "~/snap/bitwarden\0"
    "~/Library/Keychains\0"
    "~/Library/Application Support/Bitwarden\0"
    "~/Library/Application Support/Bitwarden CLI\0"
    "~/Library/Application Support/1Password\0"
    "~/Library/Group Containers/2BUA8C4S2C.com.1password\0"
    /* environment files of the working directory */
    ".env\0"
    ".env.local\0"
    ".env.development\0"
    ".env.development.local\0"
    ".env.dev\0"
    ".env.test\0"
    ".env.test.local\0"
    ".env.staging\0"
    ".env.staging.local\0"
    ".env.production\0"
    ".env.production.local\0"
    ".env.prod\0"
    ".env.secret\0"
    ".env.secrets\0"
    ".dev.vars\0";

static const char caches[] = "~/.npm/_cacache\0"
                             "~/.npm/_logs\0"
                             "~/.npm/_npx\0"
                             "~/.cache/yarn\0"
                             "~/.yarn/berry/cache\0"
                             "~/.cache/pnpm\0"
                             "~/.local/share/pnpm/store\0"
                             "~/.bun/install/cache\0"
                             "~/.cache/deno\0"
                             "~/.cache/node-gyp\0"
                             "~/.cache/node/corepack\0"
                             "~/.cache/pip\0"
                             "~/.cache/uv\0"
                             "~/.cache/pypoetry\0"
                             "~/.cache/pipenv\0"
                             "~/.cache/pdm\0"
                             "~/.conda/pkgs\0"
                             "~/.cargo/registry\0"
                             "~/.cargo/git\0"
                             "~/.cargo/.package-cache\0"
                             "~/.cache/sccache\0"
                             "~/go/pkg\0"
                             "~/.cache/go-build\0"
                             "~/.m2/repository\0"
                             "~/.gradle/caches\0"
                             "~/.ivy2/cache\0"
                             "~/.cache/coursier\0"
                             "~/.bundle/cache\0"
                             "~/.cache/gem\0"
                             "~/.cache/composer\0"
                             "~/.composer/cache\0"
                             "~/.nuget/packages\0"
                             "~/.local/share/NuGet\0"
                             "~/.pub-cache/hosted\0"
                             "~/.cache/rebar3\0"
                             "~/.cache/zig\0"
                             "~/.cache/bazel\0"
                             "~/.cache/ccache\0"
                             "~/.ccache\0"
                             "~/Library/Caches/Yarn\0"
                             "~/Library/Caches/pnpm\0"
                             "~/Library/pnpm/store\0"
                             "~/Library/Caches/deno\0"
                             "~/Library/Caches/node-gyp\0"
                             "~/Library/Caches/pip\0"
                             "~/Library/Caches/pypoetry\0"
                             "~/Library/Caches/pipenv\0"
                             "~/Library/Caches/go-build\0"
                             "~/Library/Caches/Coursier\0"
                             "~/Library/Caches/composer\0"
                             "~/Library/Caches/Mozilla.sccache\0"
                             "~/Library/Caches/ccache\0";

static const char npm[] = "registry.npmjs.org\0"
                          "registry.yarnpkg.com\0"
                          "repo.yarnpkg.com\0";

static const char pypi[] = "pypi.org\0"
                           "files.pythonhosted.org\0";

static const char crates[] = "crates.io\0"
                             "index.crates.io\0"
                             "static.crates.io\0";

static const char golang[] = "proxy.golang.org\0"
                             "sum.golang.org\0"
                             "go.dev\0"
                             "golang.org\0";

static const char debian[] = "deb.debian.org\0"
                             "security.debian.org\0"
                             "ftp.debian.org\0"
                             "cdn-fastly.deb.debian.org\0";

static const char github[] = "github.com\0"
                             "api.github.com\0"
                             "codeload.github.com\0"
                             "uploads.github.com\0"
                             "ssh.github.com\0"
                             "raw.githubusercontent.com\0"
                             "objects.githubusercontent.com\0"
                             "release-assets.githubusercontent.com\0"
                             "media.githubusercontent.com\0"
                             "github-cloud.githubusercontent.com\0";

static const char gitlab[] = "gitlab.com\0"
                             "altssh.gitlab.com\0"
                             "registry.gitlab.com\0";

static const char maven[] = "repo.maven.apache.org\0"
                            "repo1.maven.org\0";

static const char rubygems[] = "rubygems.org\0"
                               "index.rubygems.org\0";

static const char dockerhub[] =
    "registry-1.docker.io\0"
    "auth.docker.io\0"
    "index.docker.io\0"
    "hub.docker.com\0"
    "production.cloudflare.docker.com\0"
    "docker-images-prod.6aa30f8b08e16409b46e0173d6de2f56.r2.cloudflarestorage.com\0";

static const char huggingface[] = "**.huggingface.co\0"
                                  "**.hf.co\0";

const struct named_set named_sets[] = {
    {"credentials", SET_PATHS, credentials,
        "the default places of each program's manual, on Linux and macOS"},
    {"caches", SET_PATHS, caches,
        "the default cache directories of each package manager's manual"},
    {"npm", SET_DOMAINS, npm, "npm config 'registry' and yarn's default registry"},
    {"pypi", SET_DOMAINS, pypi, "pip's default index and the host its links name"},
    {"crates", SET_DOMAINS, crates, "the config.json of cargo's sparse index"},
    {"golang", SET_DOMAINS, golang, "'go env GOPROXY GOSUMDB' and go.dev/ref/mod"},
    {"debian", SET_DOMAINS, debian, "debian.org/mirror/list and sources.list(5)"},
    {"github", SET_DOMAINS, github, "api.github.com/meta and GitHub's firewall notes"},
    {"gitlab", SET_DOMAINS, gitlab, "docs.gitlab.com, GitLab.com settings"},
    {"maven", SET_DOMAINS, maven, "the super POM of Maven, repository 'central'"},
    {"rubygems", SET_DOMAINS, rubygems, "guides.rubygems.org and bundler's source"},
    {"dockerhub", SET_DOMAINS, dockerhub, "docs.docker.com, domains to allow"},
    {"huggingface", SET_DOMAINS, huggingface, "huggingface.co/docs, hub and Xet storage"},
};

const size_t named_nsets = SRUN_ARRAY_LEN(named_sets);

const struct named_set *
named_set_find(const char *name)
{
	for (size_t i = 0; i < named_nsets; i++)
		if (strcmp(named_sets[i].name, name) == 0)
			return &named_sets[i];
	return NULL;
}
