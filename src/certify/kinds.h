/* What the library knows of each certificate: one list. Who needs to know what a certificate is
 * about asks its line here, not its name. */
#ifndef CAROM_SRC_CERTIFY_KINDS_H
#define CAROM_SRC_CERTIFY_KINDS_H

#include "certify/witness.h"

/* Enumerator, name, what a counter-example is said to do when a law is run with it, and the part of
 * a restitution matrix that is judged: NORMAL, the normal block alone, which is no statement about
 * an E with all four blocks. */
#define CAROM_CERTIFICATE_KINDS(X)                                                                 \
    X(KINEMATIC, "kinematic", PENETRATES, ANY)                                                     \
    X(KINETIC, "kinetic", PULLS, ANY)                                                              \
    X(ENERGY_COPOSITIVE, "energy-copositive", GAINS, NORMAL)                                       \
    X(ENERGY_SEMIDEFINITE, "energy-semidefinite", GAINS, NORMAL)                                   \
    X(ENERGY_SPECTRAL, "energy-spectral", GAINS, NORMAL)                                           \
    X(ENERGY_SINGULAR_VALUE, "energy-singular-value", GAINS, NORMAL)                               \
    X(ENERGY_FROBENIUS, "energy-frobenius", GAINS, NORMAL)                                         \
    X(ENERGY_PRODUCT, "energy-product", GAINS, NORMAL)                                             \
    X(ENERGY_ORTHOGONAL, "energy-orthogonal", GAINS, NORMAL)                                       \
    X(ENERGY_NEWTON, "energy-newton", GAINS, NORMAL)                                               \
    X(ENERGY_FULL, "energy-full", GAINS, ANY)                                                      \
    X(ENERGY_FULL_FROBENIUS, "energy-full-frobenius", GAINS, ANY)                                  \
    X(CONTINUITY, "continuity", NOTHING, NORMAL)                                                   \
    X(CONTACT_P_MATRIX, "contact-p-matrix", NOTHING, ANY)                                          \
    X(CONTACT_P_MATRIX_ALL, "contact-p-matrix-all", NOTHING, ANY)                                  \
    X(CONTACT_COPOSITIVE, "contact-copositive", NOTHING, ANY)                                      \
    X(CONTACT_PERTURBATION, "contact-perturbation", NOTHING, ANY)                                  \
    X(CONTACT_LOAD, "contact-load", NOTHING, ANY)                                                  \
    X(FRICTION_RANGE, "friction-range", NO_OUTCOME, ANY)                                           \
    X(FRICTION_LEMMA_1, "friction-lemma-1", NOTHING, NORMAL)                                       \
    X(FRICTION_LEMMA_2, "friction-lemma-2", NOTHING, NORMAL)                                       \
    X(FRICTION_THEOREM_1, "friction-theorem-1", NOTHING, NORMAL)                                   \
    X(FRICTION_KINETIC, "friction-kinetic", NOTHING, NORMAL)                                       \
    X(FRICTION_KINETIC_ALL, "friction-kinetic-all", NOTHING, NORMAL)                               \
    X(FRICTION_THEOREM_2, "friction-theorem-2", NOTHING, NORMAL)                                   \
    X(FRICTION_ENERGY, "friction-energy", GAINS, NORMAL)

#define CAROM_CERTIFICATE_ENUMERATOR(id, name, claim, part) CAROM_CERTIFY_##id,
typedef enum carom_certificate_kind {
    CAROM_CERTIFICATE_KINDS(CAROM_CERTIFICATE_ENUMERATOR)
} carom_certificate_kind;
#undef CAROM_CERTIFICATE_ENUMERATOR

typedef struct carom_certificate_line {
    const char *name;
    carom_witness_claim claim;
    bool is_normal; /* it judges the normal block alone */
} carom_certificate_line;

/* The line of a certificate that was added. */
const carom_certificate_line *carom_certificate_about(const carom_certificate *certificate);

#endif
