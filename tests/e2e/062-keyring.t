#!/bin/sh
# keyring: keys of the caller's session are not in the run's.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

[ "$("$TRY" keyctl-read)" = ok ] || [ "$("$TRY" add-key t-srun)" = ok ] || skip_all "no keyrings here"
echo | grant
denied EPERM "no key is added" -- "$TRY" add-key t-srun
inside "the session keyring is not read" EPERM -- "$TRY" keyctl-read
[ ! -e /proc/keys ] || inside "keys are not listed" EACCES -- "$TRY" open-read /proc/keys

done_testing
