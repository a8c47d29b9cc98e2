/* macOS has statfs(2) in <sys/mount.h>. */
#include <sys/mount.h>
