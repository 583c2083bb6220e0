// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C side of check.f90, through which Fortran programs use check.h.
#include "check.h"

void check_c(const char* name, CheckBody body, int share) { check_share(name, body, share); }

void expect_c(int condition, const char* what) {
    if (!condition) check_report("Fortran", 0, what, 0, 0, 0);
}

void check_done_c(void) { exit(check_done()); }
