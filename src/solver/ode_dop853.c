/* The method of order 8 of Dormand and Prince: stages, error estimate, continuous solution. */
#include "solver/ode_dop853.h"

#include <math.h>
#include <string.h>

/* The coefficients of Dormand and Prince's method 8(5,3) with Hairer and Wanner's continuous
 * extension (Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I, II.5 and II.6).
 * tests/solver/test_ode_dop853.c verifies them by the order conditions.
 *
 * A row is a list of (slope, coefficient): X(j, a). Slopes count from 0; 12 is the one at the end
 * of the step, 13, 14, 15 serve the continuous solution only. */
#define ROW_1(X) X(0, 5.26001519587677318785587544488e-2)
#define ROW_2(X) X(0, 1.97250569845378994544595329183e-2) X(1, 5.91751709536136983633785987549e-2)
#define ROW_3(X) X(0, 2.95875854768068491816892993775e-2) X(2, 8.87627564304205475450678981324e-2)
#define ROW_4(X)                                                                                   \
    X(0, 2.41365134159266685502369798665e-1)                                                       \
    X(2, -8.84549479328286085344864962717e-1) X(3, 9.24834003261792003115737966543e-1)
#define ROW_5(X)                                                                                   \
    X(0, 3.7037037037037037037037037037e-2)                                                        \
    X(3, 1.70828608729473871279604482173e-1) X(4, 1.25467687566822425016691814123e-1)
#define ROW_6(X)                                                                                   \
    X(0, 3.7109375e-2)                                                                             \
    X(3, 1.70252211019544039314978060272e-1)                                                       \
    X(4, 6.02165389804559606850219397283e-2) X(5, -1.7578125e-2)
#define ROW_7(X)                                                                                   \
    X(0, 3.70920001185047927108779319836e-2)                                                       \
    X(3, 1.70383925712239993810214054705e-1)                                                       \
    X(4, 1.07262030446373284651809199168e-1)                                                       \
    X(5, -1.53194377486244017527936158236e-2) X(6, 8.27378916381402288758473766002e-3)
#define ROW_8(X)                                                                                   \
    X(0, 6.24110958716075717114429577812e-1)                                                       \
    X(3, -3.36089262944694129406857109825e0)                                                       \
    X(4, -8.68219346841726006818189891453e-1)                                                      \
    X(5, 2.75920996994467083049415600797e1)                                                        \
    X(6, 2.01540675504778934086186788979e1) X(7, -4.34898841810699588477366255144e1)
#define ROW_9(X)                                                                                   \
    X(0, 4.77662536438264365890433908527e-1)                                                       \
    X(3, -2.48811461997166764192642586468e0)                                                       \
    X(4, -5.90290826836842996371446475743e-1)                                                      \
    X(5, 2.12300514481811942347288949897e1)                                                        \
    X(6, 1.52792336328824235832596922938e1)                                                        \
    X(7, -3.32882109689848629194453265587e1) X(8, -2.03312017085086261358222928593e-2)
#define ROW_10(X)                                                                                  \
    X(0, -9.3714243008598732571704021658e-1)                                                       \
    X(3, 5.18637242884406370830023853209e0)                                                        \
    X(4, 1.09143734899672957818500254654e0)                                                        \
    X(5, -8.14978701074692612513997267357e0)                                                       \
    X(6, -1.85200656599969598641566180701e1)                                                       \
    X(7, 2.27394870993505042818970056734e1)                                                        \
    X(8, 2.49360555267965238987089396762e0) X(9, -3.0467644718982195003823669022e0)
#define ROW_11(X)                                                                                  \
    X(0, 2.27331014751653820792359768449e0)                                                        \
    X(3, -1.05344954667372501984066689879e1)                                                       \
    X(4, -2.00087205822486249909675718444e0)                                                       \
    X(5, -1.79589318631187989172765950534e1)                                                       \
    X(6, 2.79488845294199600508499808837e1)                                                        \
    X(7, -2.85899827713502369474065508674e0)                                                       \
    X(8, -8.87285693353062954433549289258e0)                                                       \
    X(9, 1.23605671757943030647266201528e1) X(10, 6.43392746015763530355970484046e-1)
/* the weights of order 8, which are also row 12 */
#define ROW_B(X)                                                                                   \
    X(0, 5.42937341165687622380535766363e-2)                                                       \
    X(5, 4.45031289275240888144113950566e0)                                                        \
    X(6, 1.89151789931450038304281599044e0)                                                        \
    X(7, -5.8012039600105847814672114227e0)                                                        \
    X(8, 3.1116436695781989440891606237e-1)                                                        \
    X(9, -1.52160949662516078556178806805e-1)                                                      \
    X(10, 2.01365400804030348374776537501e-1) X(11, 4.47106157277725905176885569043e-2)
#define ROW_13(X)                                                                                  \
    X(0, 5.61675022830479523392909219681e-2)                                                       \
    X(6, 2.53500210216624811088794765333e-1)                                                       \
    X(7, -2.46239037470802489917441475441e-1)                                                      \
    X(8, -1.24191423263816360469010140626e-1)                                                      \
    X(9, 1.5329179827876569731206322685e-1)                                                        \
    X(10, 8.20105229563468988491666602057e-3)                                                      \
    X(11, 7.56789766054569976138603589584e-3) X(12, -8.298e-3)
#define ROW_14(X)                                                                                  \
    X(0, 3.18346481635021405060768473261e-2)                                                       \
    X(5, 2.83009096723667755288322961402e-2)                                                       \
    X(6, 5.35419883074385676223797384372e-2)                                                       \
    X(7, -5.49237485713909884646569340306e-2)                                                      \
    X(10, -1.08347328697249322858509316994e-4)                                                     \
    X(11, 3.82571090835658412954920192323e-4)                                                      \
    X(12, -3.40465008687404560802977114492e-4) X(13, 1.41312443674632500278074618366e-1)
#define ROW_15(X)                                                                                  \
    X(0, -4.28896301583791923408573538692e-1)                                                      \
    X(5, -4.69762141536116384314449447206e0)                                                       \
    X(6, 7.68342119606259904184240953878e0)                                                        \
    X(7, 4.06898981839711007970213554331e0)                                                        \
    X(8, 3.56727187455281109270669543021e-1)                                                       \
    X(12, -1.39902416515901462129418009734e-3)                                                     \
    X(13, 2.9475147891527723389556272149e0) X(14, -9.15095847217987001081870187138e0)
/* error estimate of order 5, as weights */
#define ROW_E5(X)                                                                                  \
    X(0, 0.1312004499419488073250102996e-1)                                                        \
    X(5, -0.1225156446376204440720569753e1)                                                        \
    X(6, -0.4957589496572501915214079952e0)                                                        \
    X(7, 0.1664377182454986536961530415e1)                                                         \
    X(8, -0.3503288487499736816886487290e0)                                                        \
    X(9, 0.3341791187130174790297318841e0)                                                         \
    X(10, 0.8192320648511571246570742613e-1) X(11, -0.2235530786388629525884427845e-1)
/* weights of order 3 */
#define ROW_B3(X)                                                                                  \
    X(0, 0.244094488188976377952755905512e0)                                                       \
    X(8, 0.733846688281611857341361741547e0) X(11, 0.220588235294117647058823529412e-1)
#define ROW_D4(X)                                                                                  \
    X(0, -0.84289382761090128651353491142e1)                                                       \
    X(5, 0.56671495351937776962531783590e0)                                                        \
    X(6, -0.30689499459498916912797304727e1)                                                       \
    X(7, 0.23846676565120698287728149680e1)                                                        \
    X(8, 0.21170345824450282767155149946e1)                                                        \
    X(9, -0.87139158377797299206789907490e0)                                                       \
    X(10, 0.22404374302607882758541771650e1)                                                       \
    X(11, 0.63157877876946881815570249290e0)                                                       \
    X(12, -0.88990336451333310820698117400e-1)                                                     \
    X(13, 0.18148505520854727256656404962e2)                                                       \
    X(14, -0.91946323924783554000451984436e1) X(15, -0.44360363875948939664310572000e1)
#define ROW_D5(X)                                                                                  \
    X(0, 0.10427508642579134603413151009e2)                                                        \
    X(5, 0.24228349177525818288430175319e3)                                                        \
    X(6, 0.16520045171727028198505394887e3)                                                        \
    X(7, -0.37454675472269020279518312152e3)                                                       \
    X(8, -0.22113666853125306036270938578e2)                                                       \
    X(9, 0.77334326684722638389603898808e1)                                                        \
    X(10, -0.30674084731089398182061213626e2)                                                      \
    X(11, -0.93321305264302278729567221706e1)                                                      \
    X(12, 0.15697238121770843886131091075e2)                                                       \
    X(13, -0.31139403219565177677282850411e2)                                                      \
    X(14, -0.93529243588444783865713862664e1) X(15, 0.35816841486394083752465898540e2)
#define ROW_D6(X)                                                                                  \
    X(0, 0.19985053242002433820987653617e2)                                                        \
    X(5, -0.38703730874935176555105901742e3)                                                       \
    X(6, -0.18917813819516756882830838328e3)                                                       \
    X(7, 0.52780815920542364900561016686e3)                                                        \
    X(8, -0.11573902539959630126141871134e2)                                                       \
    X(9, 0.68812326946963000169666922661e1)                                                        \
    X(10, -0.10006050966910838403183860980e1)                                                      \
    X(11, 0.77771377980534432092869265740e0)                                                       \
    X(12, -0.27782057523535084065932004339e1)                                                      \
    X(13, -0.60196695231264120758267380846e2)                                                      \
    X(14, 0.84320405506677161018159903784e2) X(15, 0.11992291136182789328035130030e2)
#define ROW_D7(X)                                                                                  \
    X(0, -0.25693933462703749003312586129e2)                                                       \
    X(5, -0.15418974869023643374053993627e3)                                                       \
    X(6, -0.23152937917604549567536039109e3)                                                       \
    X(7, 0.35763911791061412378285349910e3)                                                        \
    X(8, 0.93405324183624310003907691704e2)                                                        \
    X(9, -0.37458323136451633156875139351e2)                                                       \
    X(10, 0.10409964950896230045147246184e3)                                                       \
    X(11, 0.29840293426660503123344363579e2)                                                       \
    X(12, -0.43533456590011143754432175058e2)                                                      \
    X(13, 0.96324553959188282948394950600e2)                                                       \
    X(14, -0.39177261675615439165231486172e2) X(15, -0.14972683625798562581422125276e3)

/* Where the stages are evaluated, as parts of the step. */
static const double node[CAROM_ODE_DOP853_STAGES] = {
    0,
    0.526001519587677318785587544488e-1,
    0.789002279381515978178381316732e-1,
    0.118350341907227396726757197510e0,
    0.281649658092772603273242802490e0,
    1.0 / 3.0,
    0.25,
    4.0 / 13.0,
    127.0 / 195.0,
    0.6,
    6.0 / 7.0,
    1,
    1,
    0.1,
    0.2,
    7.0 / 9.0,
};

#define TERM(j, a) +(a)*k[j][i]

/* The same with the slope at the start taken off: where the exact weights add up to a round number,
 * the rounding of the large ones (some are above 500) then does not show in slow motion. */
#define CHANGE(j, a) +(a) * (k[j][i] - k[0][i])

/* One stage: the point from the row, then its slope. */
#define STAGE(s, ROW)                                                                              \
    for (int i = 0; i < n; i++)                                                                    \
        z[i] = y[i] + h * (node[s] * k[0][i] ROW(CHANGE));                                         \
    status = ode->f(ode->self, t + node[s] * h, z, k[s], error);                                   \
    if (status != CAROM_OK)                                                                        \
        return status;

carom_status carom_ode_dop853_create(carom_arena *arena, int n, int controlled, carom_ode_rhs *f,
                                     void *self, carom_ode_dop853 *ode, carom_error *error)
{
    memset(ode, 0, sizeof *ode);
    ode->n = n;
    ode->controlled = controlled;
    ode->f = f;
    ode->self = self;
    double *block =
        carom_arena_zeros(arena, (size_t)n * (3 + CAROM_ODE_DOP853_STAGES + 8) + 1, sizeof(double));
    if (!block)
        return carom_error_memory(error);
    ode->y = block;
    ode->next = block += n;
    ode->work = block += n;
    for (int s = 0; s < CAROM_ODE_DOP853_STAGES; s++)
        ode->k[s] = block += n;
    for (int s = 0; s < 8; s++)
        ode->c[s] = block += n;
    return CAROM_OK;
}

/* The two estimates are combined as in the published code: the one of order 5 damped by the one of
 * order 3, so that it behaves like order 7. */
double carom_ode_dop853_error(const carom_ode_dop853 *ode, const double *scale)
{
    double *const *k = ode->k;
    double five = 0, three = 0;
    for (int i = 0; i < ode->controlled; i++) {
        double e5 = 0 ROW_E5(TERM);
        double e3 = (0 ROW_B(TERM)) - (0 ROW_B3(TERM));
        if (e5 != 0) {
            e5 /= scale[i];
            five += e5 * e5;
        }
        if (e3 != 0) {
            e3 /= scale[i];
            three += e3 * e3;
        }
    }
    double sum = five + 0.01 * three;
    if (!(sum > 0))
        return sum == 0 ? 0 : INFINITY;
    return fabs(ode->h) * five / sqrt(ode->controlled * sum);
}

carom_status carom_ode_dop853_try(carom_ode_dop853 *ode, double t, double h, carom_error *error)
{
    const int n = ode->n;
    const double *y = ode->y;
    double *z = ode->work, *const *k = ode->k;
    carom_status status;
    ode->t = t;
    ode->h = h;
    ode->evaluations += 11;
    STAGE(1, ROW_1)
    STAGE(2, ROW_2)
    STAGE(3, ROW_3)
    STAGE(4, ROW_4)
    STAGE(5, ROW_5)
    STAGE(6, ROW_6)
    STAGE(7, ROW_7)
    STAGE(8, ROW_8)
    STAGE(9, ROW_9)
    STAGE(10, ROW_10)
    STAGE(11, ROW_11)
    for (int i = 0; i < n; i++)
        ode->next[i] = y[i] + h * (k[0][i] ROW_B(CHANGE));
    return CAROM_OK;
}

carom_status carom_ode_dop853_dense(carom_ode_dop853 *ode, carom_error *error)
{
    const int n = ode->n;
    const double *y = ode->y, t = ode->t, h = ode->h;
    double *z = ode->work, *const *k = ode->k;
    ode->evaluations += 4;
    carom_status status = ode->f(ode->self, t + h, ode->next, k[12], error);
    if (status != CAROM_OK)
        return status;
    STAGE(13, ROW_13)
    STAGE(14, ROW_14)
    STAGE(15, ROW_15)
    for (int i = 0; i < n; i++) {
        double d = ode->next[i] - y[i], b = h * k[0][i] - d;
        ode->c[0][i] = y[i];
        ode->c[1][i] = d;
        ode->c[2][i] = b;
        ode->c[3][i] = d - h * k[12][i] - b;
        ode->c[4][i] = h * (0 ROW_D4(CHANGE));
        ode->c[5][i] = h * (0 ROW_D5(CHANGE));
        ode->c[6][i] = h * (0 ROW_D6(CHANGE));
        ode->c[7][i] = h * (0 ROW_D7(CHANGE));
    }
    return CAROM_OK;
}

void carom_ode_dop853_at(const carom_ode_dop853 *ode, double theta, int count, double *y)
{
    const double x = theta, z = 1 - theta;
    double *const *c = ode->c;
    for (int i = 0; i < count; i++)
        y[i] =
            c[0][i] +
            x * (c[1][i] +
                 z * (c[2][i] +
                      x * (c[3][i] + z * (c[4][i] + x * (c[5][i] + z * (c[6][i] + x * c[7][i]))))));
}

double carom_ode_dop853_factor(double err)
{
    if (err <= 1e-8)
        return 8;
    double f = 0.9 * pow(err, -1.0 / 8.0);
    return f < 0.2 ? 0.2 : f > 8 ? 8 : f;
}

void carom_ode_dop853_tableau(double *a, double *c, double *b, double *e5, double *e3)
{
    enum { S = CAROM_ODE_DOP853_STAGES };
    memset(a, 0, sizeof(double) * S * S);
    memset(b, 0, sizeof(double) * S);
    memset(e5, 0, sizeof(double) * S);
    memset(e3, 0, sizeof(double) * S);
    memcpy(c, node, sizeof node);
#define ENTER(j, v) row[j] += (v);
#define LEAVE(j, v) row[j] -= (v);
    double *row = a;
    row += S;
    ROW_1(ENTER) row += S;
    ROW_2(ENTER) row += S;
    ROW_3(ENTER) row += S;
    ROW_4(ENTER) row += S;
    ROW_5(ENTER) row += S;
    ROW_6(ENTER) row += S;
    ROW_7(ENTER) row += S;
    ROW_8(ENTER) row += S;
    ROW_9(ENTER) row += S;
    ROW_10(ENTER) row += S;
    ROW_11(ENTER) row += S;
    ROW_B(ENTER) row += S;
    ROW_13(ENTER) row += S;
    ROW_14(ENTER) row += S;
    ROW_15(ENTER)
    row = b;
    ROW_B(ENTER)
    row = e5;
    ROW_E5(ENTER)
    row = e3;
    ROW_B(ENTER)
    ROW_B3(LEAVE)
}
