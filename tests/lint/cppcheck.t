#!/bin/sh
# cppcheck: finds nothing in any room. It alone sees a descriptor that is not closed.
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1

# Off, with reasons:
#   missingIncludeSystem: the system's headers are not its business
#   unusedFunction is not asked for: rooms are looked at one by one
#   readdirCalled, getpwuidCalled: there are no threads
#   normalCheckLevelMaxBranches, toomanyconfigs: notes about itself
# noreturn: it does not see <stdnoreturn.h>, and would think that msg_die() comes back
for file in *.c; do
	check "cppcheck $file" cppcheck --quiet --std=c11 --language=c --library=posix \
		--enable=warning,performance,portability --inline-suppr \
		--suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches \
		--suppress=toomanyconfigs --suppress=readdirCalled --suppress=getpwuidCalled --error-exitcode=1 \
		-D__linux__ -D_GNU_SOURCE -D'SRUN_VERSION="0"' -Dnoreturn='__attribute__((noreturn))' \
		-I . -I build/gen "$file"
done

done_testing
