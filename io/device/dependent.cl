/* A combination of modes whose equations depend on each other (docs/theory/instant.md, "One combination"): its shortest
 * impulses that meet the conditions, and whether other ones lead elsewhere. */

/* What a direction of the kernel, in impulses of the unknowns, does to the impulses and velocities. */
static void push_along(const problem *f, int combination, const double *K, double *x, double *xi)
{
    double nothing[R];
    for (int r = 0; r < R; r++)
        nothing[r] = 0.0;
    impulses_of(f, combination, K, x);
    velocities_of(f, x, nothing, xi);
}

/* The conditions on the directions of a kernel at the impulses of o; *edges: those that are zero. 0: one is violated
 * that no direction changes. */
static int state_choice(const problem *f, const outcome *o, const double *K, int count, double tolerance, choice *h,
                        int *edges)
{
    double length[R];
    int velocities, good = 1;
    h->count = count;
    h->set = *edges = 0;
    for (int k = 0; k < R; k++)
        length[k] = 0.0;
    for (int j = 0; j < count; j++) {
        double x[R], xi[R];
        push_along(f, o->combination, K + j * R, x, xi);
        for (int i = 0; i < P; i++) {
            double by[2];
            conditions(f, o->combination, i, x, xi, &by[0], &by[1], &velocities);
            for (int k = 2 * i; k < 2 * i + 2; k++) {
                h->G[j + k * R] = by[k & 1];
                length[k] += by[k & 1] * by[k & 1];
            }
        }
    }
    for (int i = 0; i < P; i++) {
        double at[2];
        conditions(f, o->combination, i, o->x, o->xi, &at[0], &at[1], &velocities);
        for (int k = 2 * i; k < 2 * i + 2; k++) {
            const double c = fabs(at[k & 1]) <= tolerance ? 0.0 : at[k & 1], unit = sqrt(length[k]);
            const int own = unit > SOLVED;
            good = good && (own || c >= 0.0);
            h->set |= own << k;
            *edges |= (own && c <= 0.0) << k;
            h->c[k] = own ? c / unit : c;
            for (int j = 0; j < count && own; j++)
                h->G[j + k * R] /= unit;
        }
    }
    return good;
}

/* Do velocities vary over the impulses that the conditions leave? */
static int is_continuum(const problem *f, const outcome *o, const double *K, const choice *h, int edges)
{
    double B[R * R];
    int any = 0;
    for (int j = 0; j < h->count; j++) {
        double x[R], xi[R];
        push_along(f, o->combination, K + j * R, x, xi);
        for (int r = 0; r < R; r++)
            B[j + r * R] = xi[r];
    }
    for (int r = 0; r < R && !any; r++) {
        double most = 0.0;
        for (int j = 0; j < h->count; j++)
            most = fmax(most, fabs(B[j + r * R]));
        any = most > HALF * (1.0 + f->size) && varies(h, edges, B + r * R);
    }
    return any;
}

/* Does it hold? Its shortest impulses, and whether they are one of a continuum. */
static int try_dependent(const problem *f, outcome *o)
{
    double Q[R * R], K[R * R], z[R], y[R], weight[R], tolerance;
    int order[R];
    fill(f, o->combination, Q);
    for (int c = 0; c < R; c++) {
        weight[c] = weight_of(f, o->combination, c);
        for (int r = 0; r < R; r++) {
            Q[r + c * R] /= weight[c];
            Q[r + c * R] = fabs(Q[r + c * R]) <= SOLVED ? 0.0 : Q[r + c * R];
        }
        y[c] = is_equation(f, o->combination, c) ? -f->b[c] : 0.0;
    }
    const int rank = eliminate_whole(Q, y, order);
    o->doubtful = rank > 0 && fabs(Q[rank - 1 + (rank - 1) * R]) < (SHARP ? REGULAR : DOUBTFUL);
    for (int c = rank; c < R; c++)
        for (int r = rank; r < R; r++)
            o->doubtful = o->doubtful || fabs(Q[r + c * R]) > CARRIED;
    for (int r = rank; r < R; r++)
        if (fabs(y[r]) > SAME * f->size + f->least)
            return 0;
    find_kernel(Q, rank, order, K);
    substitute(Q, rank, y);
    for (int i = 0; i < R; i++)
        z[order[i]] = i < rank ? y[i] : 0.0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < R - rank; k++) {
            const double along = dot_of(K + k * R, z);
            for (int i = 0; i < R; i++)
                z[i] -= along * K[i + k * R];
        }
    for (int i = 0; i < R; i++) {
        z[i] /= weight[i];
        for (int k = 0; k < R - rank; k++)
            K[i + k * R] /= weight[i];
    }
    choice h;
    int edges, valid = judge(f, z, o, &tolerance);
    if (rank == R)
        return valid;
    const int open = state_choice(f, o, K, R - rank, tolerance, &h, &edges);
    if (!valid && open && find_shortest(&h, y)) {
        for (int k = 0; k < R - rank; k++)
            for (int i = 0; i < R; i++)
                z[i] += y[k] * K[i + k * R];
        valid = judge(f, z, o, &tolerance);
        state_choice(f, o, K, R - rank, tolerance, &h, &edges);
    }
    o->continuum = valid && is_continuum(f, o, K, &h, edges);
    return valid;
}
