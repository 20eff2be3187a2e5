/* What the pictures of a motion are drawn from. */
#ifndef CAROM_SRC_FIGURE_REPORT_RECORDER_H
#define CAROM_SRC_FIGURE_REPORT_RECORDER_H

#include "pictures/report.h"

enum {
    CAROM_RECORDER_SHOWN = 8,     /* coordinates, velocities, gaps kept of each */
    CAROM_RECORDER_ROWS = 1600,   /* at most */
    CAROM_RECORDER_IMPACTS = 800, /* at most */
    CAROM_RECORDER_ENERGIES = 5   /* kinetic, potential, impacts, friction, forces */
};

/* A table that is thinned by two whenever it is full. */
typedef struct carom_report_recorder_table {
    int columns;
    int room, count;
    long stride;  /* every stride-th was kept */
    long seen;    /* of all that came */
    long *order;  /* room: place in the sequence of rows and impacts */
    double *t;    /* room */
    double *data; /* room x columns, row after row */
} carom_report_recorder_table;

struct carom_report_recorder {
    carom_arena *arena;
    int nq, n, p;                     /* shown of each */
    long order;                       /* rows and impacts so far */
    carom_report_recorder_table rows; /* q, u, gaps, energies */
    carom_report_recorder_table hits; /* q, u-, u+ */
    carom_report_recorder_table last; /* one row, the latest */
};

/* A curve of the motion: (t, value) pairs, or (value, other) in a phase plane. */
typedef struct carom_report_recorder_curve {
    int count;
    double *xy;
} carom_report_recorder_curve;

/* Column of the rows over time. */
carom_status carom_report_recorder_rows(const carom_report_recorder *recorder, int column,
                                        carom_arena *arena, carom_report_recorder_curve *curve,
                                        carom_error *error);

/* Coordinate i (kind 'q'), velocity i ('u') over time, or one against the other ('p'), with the
 * jumps at impacts where all of them are known. */
carom_status carom_report_recorder_motion(const carom_report_recorder *recorder, char kind, int i,
                                          carom_arena *arena, carom_report_recorder_curve *curve,
                                          carom_error *error);

/* First columns of the gaps and of the energies. */
int carom_report_recorder_gap(const carom_report_recorder *recorder, int i);
int carom_report_recorder_energy(const carom_report_recorder *recorder, int i);

#endif
