/* Normal directions in normalised form: G, its inverse with error bounds, norms. */
#ifndef CAROM_SRC_CERTIFY_NORMAL_H
#define CAROM_SRC_CERTIFY_NORMAL_H

#include "carom/certify.h"
#include "certify/kinds.h"

typedef struct carom_normal {
    int p;
    bool regular;          /* G is invertible: the contacts are independent */
    bool identity;         /* G = I exactly */
    double *G;             /* p x p, D_ij / (|w_i||w_j|) */
    double *L;             /* p x p, lower Cholesky factor of G */
    double *K;             /* p x p, G^-1 */
    double *doubt;         /* p x p, bounds on the errors of G^-1 */
    double least, largest; /* eigenvalues of G */
    double G_norm, K_norm; /* Frobenius */
} carom_normal;

carom_status carom_normal_make(const carom_geometry *geometry, carom_arena *arena,
                               carom_normal *normal, carom_error *error);

/* E for NULL: the diagonal matrix of the contacts' coefficients. */
const double *carom_normal_restitution(const carom_geometry *geometry, const double *E,
                                       carom_arena *arena);

double carom_normal_frobenius(int rows, int columns, const double *A);

/* Append a certificate; text as for printf. NULL when full. */
carom_certificate *carom_certificates_add(carom_certificates *all, carom_certificate_kind kind,
                                          carom_validity scope, const char *reference);

/* Is there time for the next step, of p^3 operations? The watch is asked where they are long.
 * Otherwise the list is `stopped`, and a certificate that was added stays undecided with what it
 * says. */
bool carom_certificates_go_on(carom_certificates *all, const carom_watch *watch, int p,
                              const char *what);

void carom_certificate_say(carom_certificate *certificate, const char *format, ...)
    CAROM_PRINTF(2, 3);

#endif
