#!/bin/sh
# none: isolation = none is always honoured: environment, working directory and exit status
# hold, and one line says what does not.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

export SECRET=1
grant <<-END
	[sandbox]
	isolation = none
	working_directory = $D
	[env]
	MARK = 1
END
run srun_run -- sh -c 'pwd; echo "$MARK ${SECRET-unset}"; exit 5'
is "the command runs" "$rc" 5
is "in its directory and environment" "$out" "$(each "$D" "1 unset")"
is "one line says what is not enforced" "$err" \
	"srun: isolation 'none' does not enforce: fs, deny-set, net, unix, pid"
run srun_run -q -- true
is "-q: no line" "$err" ''
is "nothing is confined" "$(srun_run -q -- "$TRY" create "$H/x")" ok
refused "with --require fs it is refused" "none.*does not enforce fs" -f "$T/grant.ini" --require fs -- true
refused "with --require pid" "none.*does not enforce pid" -f "$T/grant.ini" --require pid -- true

done_testing
