/*
 * narrow.h: takes away from one draft what another does not grant. Pure.
 */
#ifndef SRUN_NARROW_H
#define SRUN_NARROW_H

#include "value.h"

/*
 * Makes base the intersection of base and narrow. An absent section of narrow takes
 * nothing away. What has no intersection is an error in vc->errs.
 */
void narrow_apply(
    struct value_context *vc, struct draft *base, const struct draft *narrow);

#endif
