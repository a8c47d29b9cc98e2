/* macOS has makedev() in <sys/types.h>. */
#include <sys/types.h>
