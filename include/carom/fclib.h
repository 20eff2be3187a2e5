/* Frictional contact problems in files: the collection FCLIB (HDF5) and the text format of Siconos,
 * local (W, q) and global (M, H, f, w) statements. */
#ifndef CAROM_FCLIB_H
#define CAROM_FCLIB_H

#include "carom/friction.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a file holds. Everything lives in the arena it was read with. */
typedef struct carom_fclib {
    carom_friction_problem problem; /* rows of a contact: normal first, in the file's order */
    bool global;                    /* M, H, f, w; the problem's form is then bodies */
    int dof;                        /* global: rows of M */
    const int *dof_of; /* global: row of the file's M of each degree of freedom, body by
                        * body; NULL to write: in that order */
    const char *title; /* "" where the file says nothing; NULL to write: the same */
    const char *description;
    const char *math_info;
    const double *reaction; /* n: a solution or first guess stored in the file, NULL: none */
} carom_fclib;

/* Read a file; its first bytes tell the format. Errors say what is wrong and where (line and column
 * in a text, the dataset in HDF5), not which file it was. */
CAROM_API carom_status carom_fclib_read(const char *path, carom_arena *arena, carom_fclib *file,
                                        carom_error *error);

/* The same from a text in memory. */
CAROM_API carom_status carom_fclib_read_text(const char *text, size_t length, carom_arena *arena,
                                             carom_fclib *file, carom_error *error);

/* Write the problem in FCLIB's layout (HDF5), with the solution r (n numbers; NULL: none) and the
 * velocities that follow from it. An existing file is only replaced when `force`; nothing is lost
 * when writing fails. */
CAROM_API carom_status carom_fclib_write(const char *path, bool force, const carom_fclib *file,
                                         const double *r, carom_arena *arena, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
