/* Joints and nonholonomic constraints, rows C = [B A]: the kinetic projection on C'u + c_hat = 0.
 */
#ifndef CAROM_SRC_IMPACT_JOINTS_H
#define CAROM_SRC_IMPACT_JOINTS_H

#include "carom/impact.h"
#include "impact/response.h"

/* Fill C, c_hat, joints, joint_rank of a statement with joints, c of them. Dependent rows must
 * agree about their motion. */
carom_status carom_joints_make(carom_geometry *geometry, carom_arena *arena, carom_error *error);

/* The response with the joints held and room for `more` rows. So many bytes are reserved in the
 * arena. */
void carom_joints_response(const carom_geometry *geometry, int more, carom_arena *arena,
                           carom_response *response);
size_t carom_joints_bytes(const carom_geometry *geometry, int more);

/* Move x to the nearest velocity with C'x + shift = 0 (c numbers); shift NULL: 0. work:
 * 6 (n + c). */
void carom_joints_project(const carom_geometry *geometry, const double *shift, double *x,
                          double *work);

/* The accelerations a (n) of a system at an evaluated state without contact forces, joints and
 * nonholonomic constraints satisfied; the geometry is of an impact made from that state. terms (n):
 * the sizes of what adds up to them, forces and joints each by itself; or NULL. work: so many
 * numbers. */
void carom_joints_free(const carom_geometry *geometry, const carom_state *state, double *a,
                       double *terms, double *work);
size_t carom_joints_free_work(const carom_geometry *geometry);

/* The velocity b of least kinetic norm with row_j'b + motion_j = 0 for the `count` rows given to
 * the response (motion NULL: 0). Returns the row, left out as dependent, that b misses most in
 * units of the quantities compared; -1: b meets all. So many bytes are reserved in the arena. */
int carom_joints_frame(const carom_response *response, int count, const double *const *rows,
                       const double *motion, carom_arena *arena, double *b);
size_t carom_joints_frame_bytes(int n, int count);

/* x = M^-1 x, without joints. */
void carom_joints_inverse_mass(const carom_geometry *geometry, double *x);

/* Relative size below which a pivot of a matrix of so many rows is rounding: a few units in the
 * last place per row. */
double carom_joints_rank_tolerance(int rows);

#endif
