#!/bin/sh
# owner: who may have written a grant. A named one is refused when everyone can write it, a
# found one also when it belongs to somebody else or a group can write it.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

file=$H/.config/srun/srun.ini
mkdir -p "$H/.config/srun"
printf '[env]\nMARK = home\n' >"$file"
works() {
	is "$1" "$("$SRUN" -q -- printenv MARK 2>&1)" home
}
works "control: the caller's own"
for mode in 600 644 444; do
	chmod "$mode" "$file"
	works "mode $mode"
done
chmod 646 "$file"
refused "writable by everyone, found" "^srun: $file: is writable by everyone" -- true
refused "writable by everyone, named" "^srun: $file: is writable by everyone" -f "$file" -- true
chmod 664 "$file"
works "writable by the caller's own group"
is "writable by a group, named" "$("$SRUN" -q -f "$file" -- printenv MARK)" home

if is_root; then
	chgrp 1502 "$file"
	refused "writable by another group, found" "^srun: $file: is writable by a group" -- true
	is "writable by another group, named" "$("$SRUN" -q -f "$file" -- printenv MARK)" home
	chmod 644 "$file"
	chown 1502 "$file"
	refused "somebody else's, found" "^srun: $file: belongs to neither you nor root" -- true
	is "somebody else's, named" "$("$SRUN" -q -f "$file" -- printenv MARK)" home
	chown 0:0 "$file"
else
	chmod 000 "$file"
	refused "unreadable, found" "^srun: $file: cannot be opened: permission denied" -- true
	refused "unreadable, named" "^srun: $file: cannot be opened: permission denied" -f "$file" -- true
fi
chmod 644 "$file"
mv "$file" "$D/elsewhere"
ln -s "$D/elsewhere" "$file"
works "a link to the caller's own"
chmod 646 "$D/elsewhere"
refused "a link to one that everyone can write" "writable by everyone" -- true

done_testing
