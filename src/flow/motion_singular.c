/* Forces between events where sliding contacts have dependent columns: those nearest to the forces
 * of the last contact problem. */
#include "flow/motion_singular.h"

#include <math.h>

#include "carom/tolerance.h"
#include "linalg/kernel.h"

/* K and b in kinetic units, b less what the reference does. Returns the size of what was summed. */
static double scale(carom_motion *motion, double *b)
{
    const int r = motion->row_count;
    double size = 0;
    for (int k = 0; k < r; k++) {
        const double row = sqrt(motion->unit[k]);
        double sum = fabs(b[k]);
        for (int j = 0; j < r; j++) {
            double *K = &motion->K[k + (size_t)j * r];
            b[k] -= *K * motion->reference[j];
            sum += fabs(*K * motion->reference[j]);
            *K *= row * sqrt(motion->unit[j]);
        }
        b[k] *= row;
        size = fmax(size, sum * row);
    }
    return size;
}

bool carom_motion_singular_solve(carom_motion *motion)
{
    const int r = motion->row_count;
    double *x = motion->x, *kernel = motion->space, *y = kernel + (size_t)r * r;
    const double size = scale(motion, x);
    bool consistent;
    carom_kernel_solve(r, motion->K, x, CAROM_TOLERANCE_SOLVED, CAROM_TOLERANCE_SOLVED * size,
                       motion->pivot, y, kernel, &consistent);
    for (int k = 0; k < r && consistent; k++)
        x[k] = motion->reference[k] + sqrt(motion->unit[k]) * y[k];
    return consistent;
}
