/* Rows of closed contacts, joints and nonholonomic constraints in a state. */
#include "flow/motion_row.h"

const double *carom_motion_row_vector(const carom_state *state, int n, carom_motion_row row)
{
    const size_t at = (size_t)row.index * (size_t)n;
    switch (row.kind) {
    case CAROM_MOTION_NORMAL:
        return state->W + at;
    case CAROM_MOTION_SLIP:
        return state->H + at;
    case CAROM_MOTION_JOINT:
        return state->B + at;
    case CAROM_MOTION_SPREAD:
        return state->spread + at;
    case CAROM_MOTION_ROLLING:
        break;
    }
    return state->A + at;
}

double carom_motion_row_hat(const carom_state *state, carom_motion_row row)
{
    switch (row.kind) {
    case CAROM_MOTION_NORMAL:
        return state->w_hat[row.index];
    case CAROM_MOTION_SLIP:
        return state->slip_motion[row.index];
    case CAROM_MOTION_JOINT:
        return state->b_hat[row.index];
    case CAROM_MOTION_SPREAD:
        return state->spread_motion[row.index];
    case CAROM_MOTION_ROLLING:
        break;
    }
    return state->a_hat[row.index];
}

double carom_motion_row_bias(const carom_state *state, carom_motion_row row)
{
    switch (row.kind) {
    case CAROM_MOTION_NORMAL:
        return state->g_bias[row.index];
    case CAROM_MOTION_SLIP:
        return state->slip_bias[row.index];
    case CAROM_MOTION_JOINT:
        return state->b_bias[row.index];
    case CAROM_MOTION_SPREAD:
        return state->spread_bias[row.index];
    case CAROM_MOTION_ROLLING:
        break;
    }
    return state->a_bias[row.index];
}
