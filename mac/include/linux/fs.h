/* The one question of it that is asked; mac/getdents.c answers. */
#define FS_IOC_GETFLAGS 0x80086601U
