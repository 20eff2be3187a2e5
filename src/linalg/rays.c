/* Double description (Motzkin, Raiffa, Thompson, Thrall, "The double description method"). */
#include "linalg/rays.h"

#include <math.h>
#include <string.h>

static carom_status reserve(carom_rays *r, int capacity, carom_arena *arena, carom_error *error)
{
    if (capacity <= r->capacity)
        return CAROM_OK;
    capacity = capacity > 2 * r->capacity ? capacity : 2 * r->capacity;
    double *x = carom_arena_doubles(arena, (size_t)capacity * (size_t)r->m);
    uint64_t *zero = carom_arena_array(arena, (size_t)capacity, sizeof *zero);
    if (!x || !zero)
        return carom_error_memory(error);
    if (r->count > 0) {
        memcpy(x, r->x, (size_t)r->count * (size_t)r->m * sizeof *x);
        memcpy(zero, r->zero, (size_t)r->count * sizeof *zero);
    }
    r->x = x;
    r->zero = zero;
    r->capacity = capacity;
    return CAROM_OK;
}

carom_status carom_rays_start(carom_rays *rays, int m, carom_arena *arena, carom_error *error)
{
    *rays = (carom_rays){.m = m, .dimension = m, .bits = m};
    carom_status status = reserve(rays, 2 * m, arena, error);
    if (status != CAROM_OK)
        return status;
    memset(rays->x, 0, (size_t)m * (size_t)m * sizeof(double));
    uint64_t all = m < 64 ? ((uint64_t)1 << m) - 1 : ~(uint64_t)0;
    for (int i = 0; i < m; i++) {
        rays->x[i + (size_t)i * (size_t)m] = 1;
        rays->zero[i] = all & ~((uint64_t)1 << i);
    }
    rays->count = m;
    return CAROM_OK;
}

static double *ray(carom_rays *r, int k)
{
    return r->x + (size_t)k * (size_t)r->m;
}

/* a'x, exactly 0 when it is rounding. */
static double value(const carom_rays *r, int k, const double *a, double tolerance)
{
    const double *x = r->x + (size_t)k * (size_t)r->m;
    double sum = 0, size = 0;
    for (int i = 0; i < r->m; i++) {
        sum += a[i] * x[i];
        size += fabs(a[i] * x[i]);
    }
    return fabs(sum) <= tolerance * size ? 0 : sum;
}

static int bit_count(uint64_t x)
{
    int count = 0;
    for (; x; x &= x - 1)
        count++;
    return count;
}

/* Two extreme rays span a two-dimensional face when no third ray is tight wherever both are. */
static bool adjacent(const carom_rays *r, int count, int j, int k)
{
    uint64_t both = r->zero[j] & r->zero[k];
    if (bit_count(both) < r->dimension - 2)
        return false;
    for (int i = 0; i < count; i++)
        if (i != j && i != k && (r->zero[i] & both) == both)
            return false;
    return true;
}

/* The ray of the face of j and k on the hyperplane, appended. */
static carom_status combine(carom_rays *r, int j, double vj, int k, double vk, carom_arena *arena,
                            carom_error *error)
{
    carom_status status = reserve(r, r->count + 1, arena, error);
    if (status != CAROM_OK)
        return status;
    double *x = ray(r, r->count), top = 0;
    for (int i = 0; i < r->m; i++) {
        x[i] = fabs(vk) * ray(r, j)[i] + fabs(vj) * ray(r, k)[i];
        top = fmax(top, x[i]);
    }
    for (int i = 0; i < r->m; i++)
        x[i] /= top;
    r->zero[r->count++] = r->zero[j] & r->zero[k];
    return CAROM_OK;
}

carom_status carom_rays_cut(carom_rays *rays, const double *a, bool equality, double tolerance,
                            carom_arena *arena, carom_error *error)
{
    int count = rays->count;
    double *v = carom_arena_doubles(arena, (size_t)count);
    if (!v)
        return carom_error_memory(error);
    bool cuts = false;
    for (int k = 0; k < count; k++) {
        v[k] = value(rays, k, a, tolerance);
        cuts = cuts || v[k] != 0;
    }
    for (int j = 0; j < count; j++)
        for (int k = 0; v[j] > 0 && k < count; k++)
            if (v[k] < 0 && adjacent(rays, count, j, k)) {
                carom_status status = combine(rays, j, v[j], k, v[k], arena, error);
                if (status != CAROM_OK)
                    return status;
            }
    uint64_t bit = equality ? 0 : (uint64_t)1 << rays->bits;
    int kept = 0;
    for (int k = 0; k < rays->count; k++) {
        double vk = k < count ? v[k] : 0;
        if (vk < 0 || (equality && vk > 0))
            continue;
        if (kept != k)
            memcpy(ray(rays, kept), ray(rays, k), (size_t)rays->m * sizeof(double));
        rays->zero[kept++] = rays->zero[k] | (vk == 0 ? bit : 0);
    }
    rays->count = kept;
    rays->bits += !equality;
    rays->dimension -= equality && cuts;
    return CAROM_OK;
}
