#!/bin/sh
# deny-names: the names of the mandatory deny set in a write root, those that exist and
# those that do not: not written, made, removed, replaced or changed in any way.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/deny.sh"
git_env

make_repository "$W"
mkdir -p .vscode sub/deep/.idea
echo text | tee .envrc .vscode/settings.json sub/deep/.envrc sub/deep/.idea/x other >/dev/null
grant <<-END
	[filesystem]
	allow_write = $W
END
before

# ---- a name that exists: a file ----
for f in .envrc sub/deep/.envrc .git/config; do
	denied EROFS "$f: opened for writing" -- "$TRY" open-write "$W/$f"
	denied EROFS "$f: appended to" -- "$TRY" append "$W/$f"
	denied EROFS "$f: truncated" -- "$TRY" truncate "$W/$f"
	denied EROFS "$f: opened with O_TRUNC" -- "$ATTACK" trunc "$W/$f"
	denied EBUSY "$f: removed" -- "$TRY" unlink "$W/$f"
	denied EBUSY "$f: renamed" -- "$TRY" rename "$W/$f" "$W/$f.away"
	denied "EBUSY|EXDEV" "$f: exchanged for another file" -- "$TRY" exchange "$W/$f" "$W/other"
	denied EBUSY "$f: replaced by a rename onto it" -- "$ATTACK" replace "$W/$f"
	denied EXDEV "$f: given another name" -- "$TRY" link "$W/$f" "$W/elsewhere"
	denied EROFS "$f: its mode" -- "$TRY" chmod "$W/$f"
	denied EROFS "$f: its times" -- "$TRY" utime "$W/$f"
	denied EROFS "$f: a descriptor opened again" -- "$ATTACK" reopen "$W/$f"
done
denied EROFS "the owner" -- "$TRY" chown "$W/.envrc"

# ---- a name that exists: a directory ----
for d in .vscode sub/deep/.idea .git/hooks; do
	denied EROFS "$d: a file in it made" -- "$TRY" create "$W/$d/new"
	denied EROFS "$d: a directory in it made" -- "$TRY" mkdir "$W/$d/new"
	denied EROFS "$d: a link in it made" -- "$TRY" symlink "$W/other" "$W/$d/new"
	denied "EROFS|EXDEV" "$d: a file linked into it" -- "$TRY" link "$W/other" "$W/$d/new"
	denied "EROFS|EXDEV" "$d: a file renamed into it" -- "$TRY" rename "$W/other" "$W/$d/new"
	denied EBUSY "$d: renamed" -- "$TRY" rename "$W/$d" "$W/$d.away"
	denied EBUSY "$d: exchanged" -- "$ATTACK" exchange "$W/$d" . new
	denied EROFS "$d: its mode" -- "$TRY" chmod "$W/$d"
	denied EROFS "$d: by a descriptor of it" -- "$ATTACK" at "$W/$d" new
	denied EROFS "$d: by /proc/self/fd" -- "$ATTACK" proc-fd "$W/$d" new
done
denied EROFS "a file in it written" -- "$TRY" open-write "$W/.vscode/settings.json"
denied EROFS "a file in it removed" -- "$TRY" unlink "$W/.vscode/settings.json"

# ---- names that do not exist ----
for n in .mcp.json .mise.toml .tool-versions .exrc .nvim.lua .dir-locals.el .gdbinit .lldbinit \
	.idea .fleet .zed .devcontainer .cursor .codex .gemini .agents .husky \
	.pre-commit-config.yaml .git/config.worktree .git/commondir .git/info/attributes; do
	denied "EEXIST|EROFS" "$n: made as a file" -- "$TRY" create "$W/$n"
	denied "EEXIST|EROFS" "$n: made as a directory" -- "$TRY" mkdir "$W/$n"
	denied "EEXIST|EROFS" "$n: made as a link" -- "$TRY" symlink "$W/other" "$W/$n"
	denied "EEXIST|EROFS|EXDEV" "$n: made as another name" -- "$TRY" link "$W/other" "$W/$n"
	denied "EBUSY|EXDEV|EISDIR|EROFS" "$n: a file renamed onto it" -- "$TRY" rename "$W/other" "$W/$n"
	case $n in
	.git/co*) held "$n: the name removed" EBUSY "$TRY" unlink "$W/$n" ;;
	*) held "$n: the name removed" EBUSY "$TRY" rmdir "$W/$n" ;;
	esac
	held "$n: the name renamed away" EBUSY "$TRY" rename "$W/$n" "$W/$n.away"
done
held ".claude: a part of it made" "EACCES|EROFS" "$TRY" create "$W/.claude/settings.json"
unchanged "the host is as it was so far"
mkdir "$W/.claude"
before
for n in settings.json settings.local.json commands agents hooks skills; do
	denied EEXIST ".claude/$n: made" -- "$TRY" create "$W/.claude/$n"
	denied EEXIST ".claude/$n: made as a directory" -- "$TRY" mkdir "$W/.claude/$n"
done
allowed "the rest of .claude is writable" -- "$TRY" create "$W/.claude/debug"
unchanged "the host is as it was"

# ---- names that are protected where they exist, and said where they are new ----
mkdir -p sub/.opencode sub/.kiro
found='mise.toml lefthook.yml .lefthook.yml .devcontainer.json .vimrc .nvimrc opencode.json crush.json
.crush.json .aider.conf.yml any.code-workspace .gitmodules .gitconfig .zshenv'
for n in $found; do echo text >"$W/sub/$n"; done
for n in $found; do
	denied EROFS "$n: written" -- "$TRY" append "$W/sub/$n"
	denied EBUSY "$n: replaced" -- "$ATTACK" replace "$W/sub/$n"
done
for n in .opencode .kiro; do
	denied EROFS "$n: a file in it made" -- "$TRY" create "$W/sub/$n/new"
done
rm -r sub/.opencode sub/.kiro
for n in $found; do rm "$W/sub/$n"; done
for n in $found .mise .windsurf .qwen .roo .amazonq; do
	run srun_run -- "$TRY" write-text "$W/sub/$n" x
	like "$n: made anew, and said" "$err" "sub/$n' is new and belongs to the mandatory deny set"
	rm -r "$W/sub/$n"
done

# ---- letters in another case are other names where the file system says so ----
if [ -e "$W/.ENVRC" ]; then
	held "another case is the same name" EROFS "$TRY" open-write "$W/.ENVRC"
else
	allowed "another case is another name here" -- "$TRY" create "$W/.ENVRC"
fi

done_testing
