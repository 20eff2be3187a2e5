/* What the peers are asked to do. Each is one source file in this folder, compiled only where its
 * package is installed (bench/run says WITH_<NAME>); C and C++ meet here. */
#ifndef CAROM_BENCH_PEERS_H
#define CAROM_BENCH_PEERS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Siconos numerics: LCP solvers by number, column-major M. M and q may be NULL, to be set by
 * siconos_lcp_update before solving; blocks that are zero at creation must stay so. */
typedef struct siconos_lcp siconos_lcp;

int siconos_lcp_solver_count(void);
const char *siconos_lcp_solver_name(int solver);
siconos_lcp *siconos_lcp_create(int n, const double *M, const double *q, int solver,
                                double tolerance);
int siconos_lcp_solve(siconos_lcp *lcp, double *z, double *w); /* 0: it says it succeeded */
void siconos_lcp_update(siconos_lcp *lcp, const double *M, const double *q);
void siconos_lcp_destroy(siconos_lcp *lcp);
/* Its own reader of its own files; M and q from malloc. 0: read. */
int siconos_lcp_read(const char *path, int *n, double **M, double **q);

/* Siconos numerics: planar friction, rows (normal, tangential) contact after contact. */
typedef struct siconos_friction siconos_friction;

int siconos_friction_solver_count(void);
const char *siconos_friction_solver_name(int solver);
siconos_friction *siconos_friction_create(int p, const double *mu, int solver, double tolerance);
int siconos_friction_solve(siconos_friction *f, const double *M, const double *q, double *reaction,
                           double *velocity);

/* Siconos numerics: frictional contact of any size. A solver takes the statement in its own form:
 * local ones W (dense or blocks), global ones bodies; `can` says whether this is one for it. */
struct carom_friction_problem;
typedef struct siconos_contact siconos_contact;

int siconos_contact_solver_count(void);
const char *siconos_contact_solver_name(int solver);
int siconos_contact_can(int solver, const struct carom_friction_problem *problem);
siconos_contact *siconos_contact_create(const struct carom_friction_problem *problem, int solver,
                                        double tolerance);
int siconos_contact_solve(siconos_contact *contact, double *r); /* 0: it says it succeeded */
void siconos_contact_destroy(siconos_contact *contact);

/* Equal balls on a line, position and velocity along it. Gravity pulls towards a floor at 0. */
typedef struct balls_scene {
    int n;
    double radius, mass, gravity, restitution;
    int floor;           /* is there one? */
    const double *x, *u; /* n: centres and velocities at the start */
    double step;
    long steps;
} balls_scene;

/* Run it, x and u (n) become those at the end. Returns the processor seconds of the steps alone,
 * without building the scene; < 0: it could not be done. */
typedef double peer_balls(const balls_scene *scene, double *x, double *u);

peer_balls siconos_balls, siconos_balls_newton, bullet_balls, ode_balls, box2d_balls,
    chipmunk_balls, mujoco_balls, simbody_balls;

/* A rectangle in a vertical plane over a floor at height 0 that its corners touch: position is
 * (x, y, angle) of its centre. */
typedef struct box_scene {
    double width, height, mass, inertia, gravity, restitution, friction;
    double q[3], u[3]; /* at the start */
    double step;
    long steps;
} box_scene;

/* Run it like peer_balls; q and u (3) become those at the end. */
typedef double peer_box(const box_scene *scene, double *q, double *u);

peer_box siconos_box, siconos_box_nsgs, bullet_box, ode_box, box2d_box, chipmunk_box, mujoco_box,
    simbody_box;

/* Boxes and balls of density 1000 in space, over a floor at height 0, between walls at |x|, |y| =
 * wall if that is > 0; nothing bounces. */
typedef struct heap_body {
    double size[3];        /* lengths of a box; a ball: its radius, 0, 0 */
    double at[3], turn[4]; /* turn: w, x, y, z */
    double velocity[3];
} heap_body;

typedef struct heap_scene {
    int n;
    const heap_body *bodies;
    double gravity, friction, wall;
    int planar; /* nothing leaves the plane y = 0 */
    double step;
    long steps, every; /* look after so many steps */
    /* Who looks, untimed. q (7 n): centre and w, x, y, z; u (6 n): velocity and spin, space axes.
     */
    void (*look)(void *self, const double *q, const double *u);
    void *self;
    double *q, *u; /* 7 n, 6 n: room for that */
} heap_scene;

/* Run it. Returns the processor seconds of the steps alone; < 0: it could not be done. */
typedef double peer_heap(const heap_scene *scene);

peer_heap siconos_heap, bullet_heap, ode_heap, ode_heap_quick, box2d_heap, mujoco_heap,
    mujoco_heap_cg;

/* ODE: two boxes. Returns how many contacts it finds, 0: they do not touch; the deepest one's depth
 * and normal, from a to b. */
typedef struct placed_box {
    double size[3], at[3], rotation[9]; /* column k: where axis k points */
} placed_box;

int ode_boxes(const placed_box *a, const placed_box *b, double *depth, double *normal);

/* Siconos kernel: one time step without forces of a system of n velocities and p closed contacts (M
 * diagonal, W and H n x p, H NULL: no friction), which is one impact. Returns the seconds of the
 * step; plus: n velocities after. */
double siconos_impact(int n, int p, const double *M, const double *u, const double *W,
                      const double *H, const double *e, const double *mu, double *plus);

/* Siconos kernel, event-driven, to the time scene->step * scene->steps. */
peer_balls siconos_event_driven;

/* Siconos kernel, multiple impact of Liu, Zhao and Brogliato: balls that touch, Hertz contacts, one
 * impact; impulse_step is its fixed step. */
double siconos_lzb(const balls_scene *scene, double impulse_step, double *u);

#ifdef __cplusplus
}
#endif
#endif
