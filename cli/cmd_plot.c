/* carom plot FILE | TRACE: pictures of one's own motion. */
#include "picture.h"
#include "pictures/course.h"
#include "report.h"
#include "trace_end.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a picture is drawn from: a scene that was run, or a trace and the scene in it. */
typedef struct source {
    cli_motion motion;
    bool ran;
    carom_trace trace;
    carom_scene *scene; /* NULL: a trace does not say */
} source;

static void close_source(source *s)
{
    if (s->ran) {
        cli_motion_free(&s->motion);
        return;
    }
    carom_trace_destroy(&s->trace);
    carom_scene_destroy(s->scene);
}

/* The trace tells which scene it came from; one that cannot be read any more is done without. */
static int open_trace(const char *path, source *s)
{
    carom_error error = {0};
    if (carom_trace_read(path, NULL, &s->trace, &error))
        return cli_message_error(NULL, &error);
    cli_trace_end_tell(path, &s->trace);
    const carom_scene_options options = {
        .sets = s->trace.sets, .set_count = s->trace.set_count, .any_restitution = true};
    if (s->trace.scene && carom_scene_read_text(s->trace.scene, strlen(s->trace.scene), &options,
                                                &s->scene, &error)) {
        cli_message_warning("%s: its scene cannot be read: %s", path, error.text);
        s->scene = NULL;
    }
    return CLI_ANSWERED;
}

static int open_source(const cli_arguments *arguments, const char *path, source *s)
{
    *s = (source){0};
    if (!cli_answer_is_scene(path))
        return open_trace(path, s);
    s->ran = true;
    const char *what = cli_option_value(arguments, "what", 0);
    cli_keep keep = what && strcmp(what, "section") == 0 ? CLI_KEEP_PERIODS : CLI_KEEP_CURVES;
    int status = cli_motion_run(arguments, path, NULL, false, keep, &s->motion);
    if (status == CLI_NO_ANSWER && s->motion.ended_early) {
        cli_message_warning("%s ended at t = %.10g: %s", cli_message_file(path), s->motion.result.t,
                            s->motion.result.message[0]
                                ? s->motion.result.message
                                : carom_flow_end_text(s->motion.result.end));
        status = CLI_ANSWERED;
    }
    return status;
}

/* --what, else what the scene can show. */
static int choose_kind(const cli_arguments *arguments, const carom_course *course,
                       carom_course_options *options)
{
    const char *names[CAROM_COURSE_KINDS], *text = cli_option_value(arguments, "what", 0);
    for (int k = 0; k < CAROM_COURSE_KINDS; k++) {
        names[k] = carom_course_kind_text((carom_course_kind)k);
        if (text && strcmp(text, names[k]) == 0) {
            options->kind = (carom_course_kind)k;
            return CLI_ANSWERED;
        }
    }
    if (text)
        return cli_message_unknown(text, names, CAROM_COURSE_KINDS,
                                   "; there are strobe, trajectory, phase, energy, forces, section "
                                   "and velocity-space",
                                   "plot: no picture '%s'", text);
    bool given = options->x || options->y;
    options->kind = !given && carom_course_strobe_possible(course) ? CAROM_COURSE_STROBE
                                                                   : CAROM_COURSE_TRAJECTORY;
    return CLI_ANSWERED;
}

static int draw(const cli_arguments *arguments, const source *s)
{
    const char *path = cli_option_value(arguments, "output", 0);
    const carom_course course = {.trace = s->ran ? &s->motion.kept : &s->trace,
                                 .scene = s->ran ? s->motion.scene : s->scene};
    char *text, unit[4], note[CAROM_COURSE_NOTE];
    size_t size;
    carom_error error = {0};
    carom_course_options options = {.x = cli_option_value(arguments, "x", 0),
                                    .y = cli_option_value(arguments, "y", 0),
                                    .bare = cli_option_given(arguments, "bare"),
                                    .unit = unit,
                                    .note = note};
    double instants = 0, skip = 0;
    int status = choose_kind(arguments, &course, &options);
    if (!status)
        status = cli_picture_width(arguments, &options.width, unit);
    if (!status)
        status = cli_option_positive(arguments, "instants", &instants);
    if (!status)
        status = cli_option_positive(arguments, "skip", &skip);
    if (status)
        return status;
    if (instants > 0 && !(instants >= 2 && instants <= 1000))
        return cli_message_usage("plot: --instants %g: it must be from 2 to 1000", instants);
    options.instants = (int)instants;
    options.skip = skip < 1e9 ? (long)skip : 1000000000;
    if (carom_course_draw(&course, &options, NULL, &text, &size, &error)) {
        if (error.status == CAROM_ERROR_ARGUMENT)
            return cli_message_usage("plot: %s", error.text);
        return cli_message_error(NULL, &error);
    }
    if (note[0])
        cli_message_note("plot: %s", note);
    status = cli_picture_write(arguments, path, text, size);
    free(text);
    return status;
}

/* Velocity space is there to be drawn where no law has an outcome, too. */
static int apply_and_draw(const cli_arguments *arguments, cli_answer *answer)
{
    const int status = cli_answer_apply(answer);
    if (answer->stopped) /* a thread is still at work with all this */
        _exit(cli_message_finish(status));
    if (status != CLI_ANSWERED && status != CLI_NO_ANSWER)
        return status;
    const int drawn = cli_report_velocity_space(arguments, answer);
    return drawn ? drawn : status;
}

/* Velocity space of the impact at `initial`, by every law. */
static int draw_velocity_space(const cli_arguments *arguments)
{
    cli_answer answer;
    int status = cli_answer_open(arguments, &answer);
    if (!status && answer.impact.p == 0)
        status = cli_message_usage("plot: velocity-space needs a closed contact%s%s",
                                   answer.nearest[0] ? ": " : "", answer.nearest);
    if (!status)
        status = cli_answer_choose(arguments, &answer);
    if (!status)
        status = apply_and_draw(arguments, &answer);
    cli_answer_free(&answer);
    return status;
}

static int run(const cli_arguments *arguments)
{
    const char *what = cli_option_value(arguments, "what", 0);
    source s;
    int status = cli_picture_check(arguments, cli_option_value(arguments, "output", 0));
    if (status)
        return status;
    if (what && strcmp(what, "velocity-space") == 0)
        return draw_velocity_space(arguments);
    status = open_source(arguments, arguments->files[0], &s);
    if (!status)
        status = draw(arguments, &s);
    close_source(&s);
    return status;
}

static const cli_option options[] = {
    {"what", "KIND",
     "strobe, trajectory, phase, energy, forces, section or velocity-space (what the scene can "
     "show)",
     0},
    {"axes", "X,Y[,Z]", "velocities that span velocity space", 0},
    {"at", "T", "velocity-space: at this time of the motion", 0},
    {"at-impact", "K", "velocity-space: of the K-th impact of the motion (from 1)", 0},
    {"closed", "GAP", "velocity-space: contacts with a gap up to this are closed (1e-9)", 0},
    {"x", "E", "quantity across: t, a coordinate, a velocity, gap:CONTACT, force:CONTACT ...", 0},
    {"y", "E", "quantity up (without --x: over time)", 0},
    {"output", "FILE.svg|.pdf|.png", "write to a file instead of standard output", 'o'},
    {"instants", "N", "positions in a strobe picture (12)", 0},
    {"skip", "N", "leave out the first N points of a section", 0},
    {"bare", NULL, "without title, cut at what is drawn", 0},
    CLI_PICTURE_WIDTH,
    {"force", NULL, "write over an existing file", 0},
    CLI_MOTION_OPTIONS,
    {0},
};

const cli_command cli_plot = {
    .name = "plot",
    .arguments = "FILE.yaml|TRACE",
    .summary = "draw a motion: strobe picture, trajectory, phase plane, energy, forces",
    .text =
        "A scene is run first, but for velocity-space: the impact at its `initial`, by every law.\n"
        "SVG with text as text, the same bytes every time; PDF and PNG are made by rsvg-convert\n"
        "where installed.",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .outputs = (const char *const[]){"output", NULL},
    .run = run,
};
