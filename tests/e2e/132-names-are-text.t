#!/bin/sh
# names-are-text: a path or an argument that looks like a piece of shell is text, in the
# grant, in the working directory and in the command.
. "$(dirname "$0")/../lib.sh"

odd='x$(touch pwn)`touch pwn2`; touch pwn3 & "q" '"'s'"' \e {a,b}'
mkdir -p "$W/$odd/sub" "$D/$odd"
echo text >"$D/$odd/f"
for isolation in bwrap none; do
	{
		printf '[sandbox]\nisolation = %s\n[filesystem]\n' "$isolation"
		printf 'allow_write = "%s"\n' "$(printf '%s' "literal:$D/$odd" | sed 's/"/""/g')"
	} | grant
	cd "$W/$odd" || exit 1
	run srun_run -q -- sh -c 'pwd; cat "$1/f"; echo more >>"$1/f"; echo '"'\$(touch \"\$HOME/pwn4\")'" sh "$D/$odd"
	is "$isolation: in such a directory, with such a grant" "$rc $err" "0 "
	is "$isolation: the text is as it was" "$out" "$W/$odd
$(head -n 1 "$D/$odd/f")
\$(touch \"\$HOME/pwn4\")"
	run srun_run -q -- echo '$(touch pwn5)' '`touch pwn6`' '; touch pwn7'
	is "$isolation: arguments too" "$out" '$(touch pwn5) `touch pwn6` ; touch pwn7'
	run srun_run -q --cwd "literal:$W/$odd/sub" -- pwd
	is "$isolation: --cwd" "$out" "$W/$odd/sub"
	cd "$W" || exit 1
	is "$isolation: nothing of it was run" "$(find "$base" -name 'pwn*')" ''
	echo text >"$D/$odd/f"
done

done_testing
