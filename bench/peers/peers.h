/* What the peers are asked to do. Each is one source file in this folder, compiled only where its
 * package is installed (bench/run says WITH_<NAME>); C and C++ meet here. */
#ifndef CAROM_BENCH_PEERS_H
#define CAROM_BENCH_PEERS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Siconos numerics: LCP solvers by number, dense column-major M. */
typedef struct siconos_lcp siconos_lcp;

int siconos_lcp_solver_count(void);
const char *siconos_lcp_solver_name(int solver);
siconos_lcp *siconos_lcp_create(int n, const double *M, const double *q, int solver,
                                double tolerance);
int siconos_lcp_solve(siconos_lcp *lcp, double *z, double *w); /* 0: it says it succeeded */
void siconos_lcp_destroy(siconos_lcp *lcp);
/* Its own reader of its own files; M and q from malloc. 0: read. */
int siconos_lcp_read(const char *path, int *n, double **M, double **q);

#ifdef __cplusplus
}
#endif
#endif
