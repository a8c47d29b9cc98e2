#!/bin/sh
# exec-failures: what cannot be executed is 126 or 127 as in a shell, with a message that
# names the file and the reason, whatever the backend.
. "$(dirname "$0")/../lib.sh"

mkdir "$W/dir" "$W/bin" "$W/closed" "$W/later"
echo 'echo not to be seen' >"$W/plain"
chmod 644 "$W/plain"
printf '#!%s\necho x\n' "$D/absent" >"$W/no-interpreter"
printf 'echo "script $0 $1 $#"\nexit 5\n' >"$W/no-magic"
printf '#!/bin/sh\necho "ran $1"\n' >"$W/good"
printf '#!/bin/sh\r\necho x\r\n' >"$W/dos"
: >"$W/empty"
printf '\177ELF\002\001\001garbage' >"$W/garbage"
chmod 755 "$W/no-interpreter" "$W/no-magic" "$W/good" "$W/dos" "$W/empty" "$W/garbage"
cp "$W/plain" "$W/bin/tool"
cp "$W/good" "$W/later/tool"
cp "$W/good" "$W/closed/tool"

# fails NAME CODE MESSAGE COMMAND...
fails() {
	name=$1 want=$2 message=$3
	shift 3
	run srun_run -q -- "$@" </dev/null
	is "$isolation: $name" "$rc $out|$err" "$want |srun: $message"
}

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	fails "a missing command" 127 "'no-such-command': command not found" no-such-command x
	fails "a missing file" 127 "'./no/such': No such file or directory" ./no/such
	fails "below a file" 127 "'./plain/x': Not a directory" ./plain/x
	fails "an empty name" 127 "'': command not found" ''
	fails "a directory" 126 "'./dir': Is a directory" ./dir
	fails "not executable" 126 "'./plain': Permission denied" ./plain
	fails "a missing interpreter" 126 \
		"'./no-interpreter': its interpreter '$D/absent': No such file or directory" ./no-interpreter
	like "$isolation: an interpreter with a carriage return is shown" "$(srun_run -q ./dos 2>&1)" \
		"its interpreter '/bin/sh[?]'"
	run srun_run -q -- ./no-magic one
	is "$isolation: a script without #! is run by sh" "$rc $out|$err" "5 script ./no-magic one 1|"
	run srun_run -q -- ./empty
	is "$isolation: an empty file is an empty script" "$rc $out|$err" "0 |"
	isnt "$isolation: what only looks like a program does not run" "$(srun_run -q ./garbage 2>/dev/null; echo $?)" 0

	# Along PATH: what cannot be run there does not hide what can, and is named if nothing can.
	PATH=$W/bin:$PATH fails "not executable, in PATH" 126 "'$W/bin/tool': Permission denied" tool
	PATH=$W/dir:$W/bin:$W/later:$PATH run srun_run -q -- tool x
	is "$isolation: a later one of the same name" "$rc $out" "0 ran x"
	PATH=$W/plain:$W/later:$PATH run srun_run -q -- tool x
	is "$isolation: a file in PATH is passed over" "$rc $out" "0 ran x"
	PATH='' fails "an empty PATH" 127 "'tool': command not found" tool
	PATH=:/usr/bin:/bin run srun_run -q -- good x
	is "$isolation: an empty entry is the working directory" "$rc $out" "0 ran x"
done

# Inside is what counts.
grant <<-END
	[filesystem]
	deny_read = $W/closed
END
run srun_run -q -- "$W/closed/tool"
is "a program in a closed directory" "$rc $err" "126 srun: '$W/closed/tool': Permission denied"
is "control: bare it runs" "$("$W/closed/tool" x)" "ran x"
run env PATH="$W/closed:$PATH" "$SRUN" -q -f "$T/grant.ini" tool
is "the same along PATH" "$rc" 126
chmod 0 "$W/good"
if ! is_root; then
	isolation=user
	fails "mode 000" 126 "'./good': Permission denied" ./good
fi

done_testing
