#!/bin/sh
# caches: "allow_write = @caches" works in a home where no package manager has been yet: the
# cache of an installed one is made before the start, the others and everybody else's not.
. "$(dirname "$0")/../lib.sh"

mkdir "$T/bin"
for program in npm cargo; do
	printf '#!/bin/sh\n' >"$T/bin/$program"
	chmod 755 "$T/bin/$program"
done
PATH=$T/bin:/usr/sbin:/usr/bin:/sbin:/bin
: >"$T/bin/ccache"
grant <<-'END'
	[filesystem]
	allow_write = @caches
END
# What the machine has besides is its own affair.
made() {
	(cd "$H" && find . -type d -path "$1" | sort | tr '\n' ' ')
}
line=$(srun_run --check | grep '@caches')
like "--check says what will be made" "$line" ' 0 exist here, [0-9]+ are made before the start'
is "and makes nothing" "$(made './*')" ''
srun_run -q -c 'echo one >~/.npm/_cacache/f && echo two >~/.cargo/registry/f && cat ~/.npm/_cacache/f'
is "the command writes them: exit" "$?" 0
is "what it wrote stays" "$(cat "$H/.npm/_cacache/f" "$H/.cargo/registry/f")" "one
two"
is "npm's" "$(made './.npm*')" './.npm ./.npm/_cacache ./.npm/_logs ./.npm/_npx '
is "cargo's, but the lock file" "$(made './.cargo*')" './.cargo ./.cargo/git ./.cargo/registry '
is "none of a program that cannot be run" "$(made '*ccache')" ''
is "none of a program that is not there" "$(made '*bun*')" ''
denied EROFS "what is beside a cache stays closed" -- "$TRY" create "$H/.npm/other"
denied EROFS "the home too" -- "$TRY" create "$H/.npm2"

rm -rf "$H/.npm" "$H/.cargo"
printf '[filesystem]\nread_write_paths = %s\n' "$W" >"$T/narrow.ini"
srun_run -q --narrow "$T/narrow.ini" true
is "a narrow file that does not let them be written: exit" "$?" 0
is "nothing is made" "$(made './.npm*')" ''
printf '[filesystem]\nallow_write = @caches\ndeny_write = ~/.npm\n' | grant
srun_run -q true 2>/dev/null
is "a deny_write above is a contradiction: exit" "$?" 125
is "nothing is made" "$(made './.npm*')" ''

rm -rf "$H/.npm" "$H/.cargo"
printf '[filesystem]\nallow_write = @caches\n' | grant
mkdir "$T/real"
ln -s "$T/real" "$H/.npm"
srun_run -q -c ': >~/.npm/_cacache/f'
is "through the caller's own link: exit" "$?" 0
is "it is made at the target" "$(ls "$T/real/_cacache")" f
rm "$H/.npm"
chmod 555 "$H"
if [ "$(id -u)" -ne 0 ]; then
	srun_run -q true
	is "a home that cannot be written: exit" "$?" 0
fi
chmod 755 "$H"
HOME=/nonexistent srun_run -q true
is "a home that does not exist: exit" "$?" 0

done_testing
