/*
 * sbprofile.h: the words of a Seatbelt profile that are the same for every grant, and
 * the small pieces that the others are made of. Pure; seatbelt.c puts them in order.
 */
#ifndef SRUN_SBPROFILE_H
#define SRUN_SBPROFILE_H

#include "policy.h"
#include "util.h"

/* A profile as it is put together: constant ASCII, and the values that it names. */
struct profile {
	struct arena *a;
	struct bytes text;
	struct strv params; /* "NAME=value": every path of the grant is in here */
};

/* The other spelling of a path on the data volume; macOS knows both (facts: firmlinks). */
#define SB_DATA_VOLUME "/System/Volumes/Data"

/* Adds the parameter NAME<number>=before + value + after; returns its name. */
const char *sb_param(struct profile *f, const char *name, size_t number,
    const char *before, const char *value, const char *after);

/* " (KIND (param "NAME"))" */
void sb_filter(struct profile *f, const char *kind, const char *param);

/* Text as a regular expression that matches it and nothing else. */
const char *sb_quote(struct arena *a, const char *text, size_t len);

/* The same in every mixture of upper and lower case; NULL when it is not ASCII. */
const char *sb_fold(struct arena *a, const char *text);

/* Groups 1 to 5: what is closed by name, processes, sysctl, services, ipc. */
void sb_processes(struct profile *f, const char *nonce, enum net_mode net);

/* Group 6 and the devices: terminal is the name of a parameter, NULL for none. */
void sb_terminal(struct profile *f, const char *terminal);

/* What is written besides the roots. */
void sb_caches(struct profile *f);
void sb_devices(struct profile *f, const char *terminal);

/* (define (mandatory q) …): the mandatory deny set below a root; q names its expression. */
void sb_mandatory(struct profile *f, bool allow_git_config);

/* (define (mandatory-home q) …), which is needed where a root holds a name of the home. */
void sb_mandatory_home(struct profile *f);
bool sb_in_home(struct arena *a, const char *home, const char *root);

/* Group 9 but for single ports. */
void sb_network(struct profile *f, enum net_mode net, bool local_binding);

#endif
