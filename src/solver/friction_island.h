/* An island of the frictional contact problem: contacts that are connected, scaled so that every
 * friction cone is the Lorentz cone L = {|x_T| <= x_0} and diagonal blocks are near one.
 *
 *     r = S x,  xi = S u = A x + b,  A = S W S,  b = S q,   x and s = xi + |xi_T| e_0 in L, x's = 0
 *
 * S is sigma_i (1/mu_i, 1, 1) for a contact with friction. Contacts with mu = 0 keep their normal
 * row only; bilateral contacts have free x and xi = 0. A is given by its blocks, or by bodies, A =
 * H'V with V = M^-1 H. */
#ifndef CAROM_SRC_SOLVER_FRICTION_ISLAND_H
#define CAROM_SRC_SOLVER_FRICTION_ISLAND_H

#include "carom/friction.h"
#include "linalg/block_matrix.h"

/* The bodies of an island. */
typedef struct carom_friction_masses {
    int bodies;          /* 0: A is given by its blocks */
    const int *row;      /* bodies + 1: first degree of freedom of each */
    const int *start;    /* contacts + 1 */
    const int *body;     /* bodies of each contact */
    const size_t *at;    /* where their blocks of H and V begin, dof x rows, column-major */
    const double *H, *V; /* scaled: H S, M^-1 H S */
    const size_t *mass;  /* bodies: where their mass matrices begin in M */
    const double *M;
    double *v;  /* degrees of freedom: work space */
    bool rigid; /* all bodies have six degrees of freedom, all contacts three rows: the common case
                 * has loops of its own */
} carom_friction_masses;

typedef struct carom_friction_island {
    int contacts, n;
    const int *contact;           /* contacts: number in the statement */
    const int *row;               /* contacts + 1: first row of each contact */
    const int *outer;             /* n: row in the statement */
    const bool *free;             /* contacts: bilateral */
    const double *mu;             /* contacts: coefficient of friction; 0 where one row is left */
    const double *scale;          /* n: S */
    const double *b;              /* n */
    const double *own;            /* 9 for each contact: its diagonal block, d x d column-major */
    double q_norm;                /* |q| of these contacts in the statement */
    double q_size;                /* |tau q|, each contact in the unit of its own */
    carom_block_matrix A;         /* without bodies */
    carom_friction_masses masses; /* with bodies */
    carom_friction_masses given;  /* the bodies of the statement, H unscaled, whatever A is made of;
                                   * none: only W is known. M, V, v are of no use here */
    const double *w;              /* n: u = H'v + w of the bodies given, unscaled */
} carom_friction_island;

/* Rows of contact i. */
static inline int carom_friction_island_rows(const carom_friction_island *island, int i)
{
    return island->row[i + 1] - island->row[i];
}

/* The diagonal entry of row k of contact i, not below zero. |a_kj| <= sqrt(a_kk a_jj) is the size
 * of the terms that an entry of A is a sum of, where A's symmetric part is semidefinite. */
static inline double carom_friction_island_diagonal(const carom_friction_island *island, int i,
                                                    int k)
{
    double a = island->own[9 * i + k + k * carom_friction_island_rows(island, i)];
    return a > 0 ? a : 0;
}

/* tau_i: in r / tau and tau u the diagonal of W is near one. With it one contact's reactions and
 * velocities have one unit, which that of the statement cannot promise. */
static inline double carom_friction_island_unit(const carom_friction_island *island, int i)
{
    const double normal = island->scale[island->row[i]], mu = island->mu[i];
    return mu > 1 ? mu * normal : normal;
}

/* v (dof) += V x, x of d rows; and y (d) += H'v. Inlined where the sizes are known. */
static inline void carom_friction_island_push(int dof, int d, const double *restrict V,
                                              const double *restrict x, double *restrict v)
{
    for (int r = 0; r < dof; r++) {
        double sum = v[r];
        for (int c = 0; c < d; c++)
            sum += V[r + c * dof] * x[c];
        v[r] = sum;
    }
}

static inline void carom_friction_island_pull(int dof, int d, const double *restrict H,
                                              const double *restrict v, double *restrict y)
{
    for (int c = 0; c < d; c++) {
        double sum = 0;
        for (int r = 0; r < dof; r++)
            sum += H[r + c * dof] * v[r];
        y[c] += sum;
    }
}

/* y = A x */
void carom_friction_island_product(const carom_friction_island *island, const double *x, double *y);

/* xi = A x + b */
void carom_friction_island_velocity(const carom_friction_island *island, const double *x,
                                    double *xi);

/* The residual of the statement (of these contacts alone) at x with xi = A x + b, in the units of
 * the statement or in those of each contact: whichever says more is left. Beside light bodies a
 * reaction is no number that is seen beside the velocities, and beside heavy ones a velocity none
 * beside the reactions. */
double carom_friction_island_residual(const carom_friction_island *island, const double *x,
                                      const double *xi);

#endif
