/* The keys of scene files with a line on each. */
#include "scene/keys.h"

#include <stddef.h>

const carom_scene_key carom_keys_scene[] = {
    {"carom", "1", "required", "the version of the format"},
    {"title", "text", "none", "any text"},
    {"parameters", "map of name to number", "none",
     "numbers with a name; formulas of earlier ones"},
    {"define", "map of name to formula", "none",
     "names for formulas of coordinates, velocities, t, parameters and earlier definitions"},
    {"impact", "map", "this, system or bodies", "an impact in numbers"},
    {"system", "map", "this, impact or bodies", "a system in formulas"},
    {"world", "map", "space 3, no gravity", "what all bodies share"},
    {"bodies", "map of name to body", "this, system or impact", "rigid bodies with shapes"},
    {"joints", "map of name to joint", "none", "what holds bodies together"},
    {"initial", "map of name to number", "0",
     "where a system starts: coordinates x, velocities x', t; formulas of what stands above"},
    {"law", "name or map", "coulomb with friction, else newton",
     "the impact law: a name, or {name: ..., parameter: ...}"},
    {"run", "map", "none", "how to simulate a system"},
    {"draw", "list of shapes", "nothing", "what pictures show of a system"},
    {"repeat", "list of blocks", "none", "families: the blocks of system, written beside it"},
    {"section", "map", "none", "where samples of a motion are taken"},
    {"period", "number > 0", "none", "samples at t = k period; beside a section, the time modulus"},
    {"symmetry", "map of coordinate to coordinate", "none",
     "coordinates exchanged at the end of an orbit, as in {a: b, b: a}"},
    {"ignore", "list of coordinates", "none", "coordinates that need not return on an orbit"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_impact[] = {
    {"mass", "n numbers or n rows", "required", "diagonal, or symmetric positive definite matrix"},
    {"velocity", "n numbers", "required", "before the impact"},
    {"contacts", "list of contacts", "required", "all are closed, those that separate too"},
    {"bilateral", "list of rows", "none", "joints: row u + motion = 0"},
    {"permanent", "list of rows", "none", "kinetic constraints such as rolling"},
    {"region", "any or list of groups", "all contacts",
     "groups of contact names; one group that holds is enough (re-entrant corners)"},
    {"coordinates", "n names", "u1, u2, ...", "names of the velocities in tables"},
    {NULL, NULL, NULL, NULL},
};

/* What contacts of impacts and of systems have in common. */
#define CONTACT                                                                                    \
    {"restitution", "number in [0, 1]", "0", "of the normal velocity"},                            \
        {"friction", "number >= 0", "0", "coefficient; inf in single impacts"},                    \
        {"friction_static", "number >= 0", "friction", "instead of friction, for sticking"},       \
        {"friction_dynamic", "number >= 0", "friction_static", "for sliding, at most the static"}, \
        {"tangential_restitution", "number in [-1, 1]", "0", "of the slip velocity"},              \
        {"stiffness", "number > 0", "1", "k of compliant laws, F = k d^exponent"},                 \
        {"exponent", "number > 0", "1.5", "of compliant laws"},                                    \
    {                                                                                              \
        "law", "name or map", "the scene's", "a law for this contact alone"                        \
    }

const carom_scene_key carom_keys_impact_contact[] = {
    {"name", "text", "its number", "a label, unique"},
    {"normal", "n numbers", "required", "gradient of the gap, not zero"},
    {"motion", "number", "0", "the gap's own rate"},
    {"slip", "n numbers or two rows", "none", "rows of the slip velocity: planar, or spatial"},
    {"slip_motion", "number or two", "0", "the slip's own rate"},
    {"spread", "k rows", "none", "A of a second-order cone w u >= |A u|"},
    CONTACT,
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_row[] = {
    {"name", "text", "none", "a label"},
    {"row", "n numbers", "required", "of the constraint on velocities, not zero"},
    {"motion", "number", "0", "row u + motion = 0"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_system[] = {
    {"coordinates", "list of names", "required", "x; its velocity is x'"},
    {"kinetic", "formula", "required", "kinetic energy, quadratic in the velocities"},
    {"potential", "formula", "0", "potential energy, of coordinates and t"},
    {"forces", "map of coordinate to formula", "0", "beyond the potential, of anything"},
    {"contacts", "map of name to contact", "none", "gaps that stay >= 0"},
    {"bilateral", "map of name to formula", "none", "joints: f(q, t), held at 0"},
    {"permanent", "map of name to formula", "none",
     "kinetic constraints: affine in the velocities, held at 0"},
    {"region", "any or list of groups", "all contacts",
     "groups of contact names; one group that holds is enough (re-entrant corners)"},
    {"events", "map of name to event", "none", "instants of one's own"},
    {"repeat", "list of blocks", "none", "families of all these"},
    {"rigid_body", "map", "none", "instead of formulas: a free body with a point over a plane"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_contact[] = {
    {"gap", "formula", "required", "of coordinates and t, stays >= 0"},
    {"slip", "formula or two", "none", "linear in the velocities; two for a spatial contact"},
    {"spread", "formulas, or rows of numbers", "none",
     "A of a second-order cone w u >= |A u|: formulas linear in the velocities; or s of "
     "coordinates "
     "and t, and the gap is gap - |s| (a funnel)"},
    {"when", "formula", "always", "the contact may close only where this is > 0"},
    {"at", "two or three formulas", "none", "where the contact is, for markers and reports"},
    {"toward", "as many formulas", "none", "where its normal points, beside at"},
    CONTACT,
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_event[] = {
    {"at", "formula", "required", "the event is where this crosses zero"},
    {"direction", "up, down or both", "both", "which crossings count"},
    {"if", "formula", "always", "the event happens only where this is > 0"},
    {"set", "map of name to formula", "nothing",
     "coordinates x and velocities x' take these values, of what was before"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_section[] = {
    {"at", "contact, event or formula", "required",
     "each impact that gives the contact an impulse; each event; each zero of the formula"},
    {"direction", "up, down or both", "both", "which zeros of a formula count"},
    {"keep", "list of formulas", "all coordinates and velocities", "what a sample holds"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_repeat[] = {
    {"index", "name", "required", "$i and $(i+1) stand for its number in texts"},
    {"from", "whole number", "required", "first number; formulas may use outer indices, as i+1"},
    {"to", "whole number", "required", "last number; below from: no copies"},
    {"define", "map of name to formula", "none", "definitions of each copy"},
    {"coordinates", "list of names", "none", "as in system"},
    {"kinetic", "formula", "none", "added to the system's"},
    {"potential", "formula", "none", "added to the system's"},
    {"forces", "map of coordinate to formula", "none", "added to the system's"},
    {"contacts", "map of name to contact", "none", "as in system"},
    {"bilateral", "map of name to formula", "none", "as in system"},
    {"permanent", "map of name to formula", "none", "as in system"},
    {"events", "map of name to event", "none", "as in system"},
    {"bodies", "map of name to body", "none", "as at the top"},
    {"joints", "map of name to joint", "none", "as at the top"},
    {"initial", "map of name to number", "none", "the initial at the top replaces it"},
    {"draw", "list of shapes", "none", "as at the top"},
    {"repeat", "list of blocks", "none", "blocks in the block; its index is visible there"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_body_system[] = {
    {"rigid_body", "map", "required", "a free body with a point over a plane"},
    {"contacts", "map of one name to contact", "plane", "properties of the point's contact"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_rigid_body[] = {
    {"mass", "number > 0", "required", "of the body"},
    {"inertia", "three numbers > 0", "required", "principal moments about the centre of mass"},
    {"point", "three numbers", "0, 0, 0", "from the centre of mass, in body axes"},
    {"normal", "three numbers", "0, 0, 1", "of the plane normal x = offset"},
    {"offset", "number", "0", "of the plane"},
    {"gravity", "three numbers", "0, 0, 0", "acceleration"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_body_contact[] = {CONTACT, {NULL, NULL, NULL, NULL}};

const carom_scene_key carom_keys_world[] = {
    {"space", "2 or 3", "3", "2: the plane"},
    {"gravity", "two or three numbers", "0", "acceleration"},
    {"contact", "map", "the defaults of a contact", "of all pairs of bodies that say nothing else"},
    {"pairs", "list of pairs", "none", "what is said about two bodies"},
    {"ignore", "list of [a, b]", "none", "pairs of bodies that never touch"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_pair[] = {
    {"between", "two names", "required", "bodies"},
    CONTACT,
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_body[] = {
    {"fixed", "true or false", "false", "part of the ground"},
    {"shape", "shape or list of shapes", "none", "what touches, and what mass follows from"},
    {"density", "number > 0", "1000", "of its shapes"},
    {"mass", "number > 0", "from density", "instead of density; without shape inertia beside it"},
    {"inertia", "number, three, or 3 x 3", "from the shape",
     "about centre: the plane one moment, space three or a matrix"},
    {"centre", "two or three numbers", "0", "centre of mass in the body, beside mass"},
    {"at", "two or three numbers", "0", "where its origin is; a fixed body: formulas of t"},
    {"turn", "number, [w, x, y, z] or {axis, angle}", "0",
     "the plane: an angle; a fixed body: angle may be a formula of t"},
    {"velocity", "two or three numbers", "0", "of its centre at the start"},
    {"spin", "number or three numbers", "0", "angular velocity at the start, body axes"},
    {"surface", "two or three numbers", "0", "of a fixed body: velocity of its surface, a belt"},
    {"contact", "map", "the world's", "of its pairs, see world"},
    {"colour", "text", "the page's choice", "any CSS colour"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_body_shape[] = {
    {"radius", "number >= 0", "0", "rounding: all points within it belong to the shape"},
    {"at", "two or three numbers", "0", "in the body"},
    {"turn", "as of a body", "0", "in the body"},
    {"density", "number > 0", "the body's", "of this shape"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_heights[] = {
    {"spacing", "two numbers > 0", "required", "distance of columns (x), of rows (y)"},
    {"z", "list of rows", "required", "heights, row by row; the middle of the grid is the origin"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_turn[] = {
    {"axis", "three numbers", "required", "of the rotation"},
    {"angle", "number", "required", "counter-clockwise about it; a fixed body: a formula of t"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_joint[] = {
    {"rope", "[a, b]", "one of these", "their points are at most length apart"},
    {"at", "point; a rope: two points", "0; a rope: the origins",
     "world coordinates, with all bodies where at and turn put them"},
    {"axis", "direction", "z; the plane: a slide's x", "world coordinates"},
    {"second", "direction", "across axis", "of a universal joint"},
    {"limits", "[lo, hi]", "none", "of the coordinate; -inf, inf: no limit"},
    {"length", "number > 0", "the distance at the start", "of a rope"},
    {"stop", "map", "the defaults of a contact", "what happens at a limit, or when a rope is taut"},
    {"motor", "formula", "none", "force or moment on the coordinate, of anything"},
    {"spring", "number >= 0", "0", "force -spring (q - rest)"},
    {"rest", "number", "0", "where the spring has no force"},
    {"damping", "number >= 0", "0", "force -damping q'"},
    {"armature", "number >= 0", "0", "mass or inertia added to the coordinate"},
    {"friction", "number >= 0", "0", "dry friction: |force| is at most this; time-stepping"},
    {"initial", "number or list", "0", "coordinates at the start: moves the child"},
    {"velocity", "number or list", "0", "their velocities at the start"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_run[] = {
    {"method", "event-driven, time-stepping or boundary-layer", "event-driven", "how to simulate"},
    {"until", "number", "required", "end time, not before the initial one"},
    {"output", "number > 0", "about 1000 rows", "interval of the trace's rows"},
    {"tolerance", "number > 0", "1e-10", "event-driven, boundary-layer: local error"},
    {"closed", "number > 0", "1e-9",
     "event-driven: gaps up to this are closed at the start, deeper ones refused"},
    {"max_step", "number > 0", "none", "event-driven: largest step"},
    {"paradox", "stop or impact", "stop",
     "event-driven: where sliding friction leaves no contact force"},
    {"step", "number > 0", "required there", "time-stepping: length of a step"},
    {"theta", "number in [0, 1]", "0.5", "time-stepping: where forces are taken"},
    {"activation", "number >= 0", "0.5",
     "time-stepping: contacts with gap + activation step rate <= 0 take part"},
    {"scheme", "moreau-jean or schatzman-paoli", "moreau-jean", "time-stepping"},
    {"project", "no or yes", "no", "time-stepping: put penetrating positions back"},
    {"width", "number > 0", "required there", "boundary-layer: b"},
    {"transition", "number in (0, 1]", "0.9", "boundary-layer: a/b"},
    {"stiffness", "number > 0", "1", "boundary-layer: k"},
    {"damping", "number >= 0", "0", "boundary-layer: c"},
    {"metric", "source or smooth", "source",
     "boundary-layer: inertia b^2/x^2 from x = b on, or with a smooth transition"},
    {"least_speed", "number in (0, 1]", "1e-6",
     "boundary-layer: a speed of entry counts as at least this part of the largest"},
    {"joint_damping", "number >= 0", "2 w, w = 100/duration", "boundary-layer: c of joint errors"},
    {"joint_stiffness", "number >= 0", "w^2", "boundary-layer: k of joint errors"},
    {NULL, NULL, NULL, NULL},
};

#define LABELLED                                                                                   \
    {"label", "text", "none", "a label"},                                                          \
    {                                                                                              \
        "color", "text", "the page's choice", "any CSS colour"                                     \
    }
#define OUTLINED                                                                                   \
    {"fill", "none", "filled", "none: the outline only"},                                          \
        {"width", "number in (0, 100]", "2", "of lines, in pixels"},                               \
    {                                                                                              \
        "dash", "true", "no", "dashed lines"                                                       \
    }

const carom_scene_key carom_keys_circle[] = {
    {"circle", "two formulas", "required", "centre"},
    {"radius", "formula", "required", "of the circle"},
    {"angle", "formula", "0", "counter-clockwise, shows the rotation"},
    LABELLED,
    OUTLINED,
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_box[] = {
    {"box", "two formulas", "required", "centre"},
    {"size", "two formulas", "required", "width and height"},
    {"angle", "formula", "0", "counter-clockwise"},
    LABELLED,
    OUTLINED,
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_line[] = {
    {"line", "formulas", "required", "x and y of two points or more"},
    LABELLED,
    OUTLINED,
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_point[] = {
    {"point", "two formulas", "required", "where"},
    LABELLED,
    {"fill", "none", "filled", "none: a ring"},
    {"width", "number in (0, 100]", "2", "of the ring, in pixels"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_spring[] = {
    {"spring", "four formulas", "required", "x and y of both ends"},
    LABELLED,
    {"width", "number in (0, 100]", "2", "of its line, in pixels"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_key carom_keys_text[] = {
    {"text", "two formulas", "required", "where"},
    {"label", "text", "required", "the words"},
    {"color", "text", "the page's choice", "any CSS colour"},
    {NULL, NULL, NULL, NULL},
};

const carom_scene_map *carom_scene_maps(void)
{
    static const carom_scene_map maps[] = {
        {"scene", "the keys at the top", carom_keys_scene},
        {"system", "a system in formulas", carom_keys_system},
        {"contact", "a contact of a system", carom_keys_contact},
        {"event", "an event of a system", carom_keys_event},
        {"repeat", "a block of repeat", carom_keys_repeat},
        {"section", "where samples of a motion are taken", carom_keys_section},
        {"run", "how to simulate a system", carom_keys_run},
        {"world", "what all bodies share", carom_keys_world},
        {"pair", "what is said about two bodies", carom_keys_pair},
        {"body", "a rigid body", carom_keys_body},
        {"body-shape", "a shape of a body", carom_keys_body_shape},
        {"heights", "a field of heights", carom_keys_heights},
        {"turn", "a rotation in space", carom_keys_turn},
        {"joint", "a joint or a rope", carom_keys_joint},
        {"impact", "an impact in numbers", carom_keys_impact},
        {"impact-contact", "a contact of an impact", carom_keys_impact_contact},
        {"row", "a row of bilateral or permanent beside impact", carom_keys_row},
        {"rigid-body", "the body of rigid_body", carom_keys_rigid_body},
        {"circle", "a shape of draw", carom_keys_circle},
        {"box", "a shape of draw", carom_keys_box},
        {"line", "a shape of draw", carom_keys_line},
        {"point", "a shape of draw", carom_keys_point},
        {"spring", "a shape of draw", carom_keys_spring},
        {"text", "a shape of draw", carom_keys_text},
        {NULL, NULL, NULL},
    };
    return maps;
}
