/* Surfaces of triangles from files: STL (binary and text) and OBJ (points and faces of it).
 *
 * A file is read with no trust: its length decides what it can hold, numbers must be finite,
 * indices must exist. Whether the triangles close and are one surface is asked when the shape is
 * made. */
#include "scene/scene_bodies.h"

#include "carom/text.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { FILE_MOST = 1 << 28, TRIANGLES_MOST = 4000000 };

/* What is gathered: points and triangles, growing in an arena. */
typedef struct surface {
    carom_arena *arena;
    carom_error *error;
    double *points;
    int *triangles;
    size_t point_count, point_room, triangle_count, triangle_room;
} surface;

static carom_status grow(surface *s, void **array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return CAROM_OK;
    size_t more = *room ? 2 * *room : 256;
    void *grown = carom_arena_array(s->arena, more, size);
    if (!grown)
        return carom_error_memory(s->error);
    if (count)
        memcpy(grown, *array, count * size);
    *array = grown;
    *room = more;
    return CAROM_OK;
}

static carom_status add_point(surface *s, const double x[3], long line)
{
    for (int k = 0; k < 3; k++)
        if (!isfinite(x[k]))
            return carom_error_set(s->error, CAROM_ERROR_INPUT,
                                   "%s %ld: a coordinate is not a finite number",
                                   line < 0 ? "triangle" : "line", line < 0 ? -line : line);
    void *points = s->points;
    carom_status status = grow(s, &points, s->point_count, &s->point_room, 3 * sizeof *s->points);
    s->points = points;
    if (status == CAROM_OK)
        memcpy(s->points + 3 * s->point_count++, x, 3 * sizeof *x);
    return status;
}

static carom_status add_triangle(surface *s, int a, int b, int c)
{
    if (s->triangle_count == TRIANGLES_MOST)
        return carom_error_set(s->error, CAROM_ERROR_INPUT, "it has more than %d triangles",
                               TRIANGLES_MOST);
    void *triangles = s->triangles;
    carom_status status =
        grow(s, &triangles, s->triangle_count, &s->triangle_room, 3 * sizeof *s->triangles);
    s->triangles = triangles;
    if (status == CAROM_OK) {
        int *t = s->triangles + 3 * s->triangle_count++;
        t[0] = a, t[1] = b, t[2] = c;
    }
    return status;
}

/* ---- points of STL files are repeated in every triangle: those that are equal become one ---- */

static uint64_t hash_of(const double *x)
{
    uint64_t h = 1469598103934665603u;
    for (int k = 0; k < 3; k++) {
        double value = x[k] + 0.0; /* no negative zero */
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        h = (h ^ bits) * 1099511628211u;
        h ^= h >> 29;
    }
    return h;
}

static bool same_point(const double *x, const double *y)
{
    return x[0] == y[0] && x[1] == y[1] && x[2] == y[2];
}

static carom_status weld(surface *s)
{
    size_t room = 4, kept = 0;
    while (room < 2 * s->point_count)
        room *= 2;
    int *slot = carom_arena_array(s->arena, room, sizeof *slot);
    int *now = carom_arena_array(s->arena, s->point_count + 1, sizeof *now);
    if (!slot || !now)
        return carom_error_memory(s->error);
    memset(slot, -1, room * sizeof *slot);
    for (size_t i = 0; i < s->point_count; i++) {
        const double *x = s->points + 3 * i;
        size_t at = (size_t)hash_of(x) & (room - 1);
        while (slot[at] >= 0 && !same_point(s->points + 3 * (size_t)slot[at], x))
            at = (at + 1) & (room - 1);
        if (slot[at] < 0) {
            slot[at] = (int)kept;
            memmove(s->points + 3 * kept++, x, 3 * sizeof *x);
        }
        now[i] = slot[at];
    }
    for (size_t k = 0; k < 3 * s->triangle_count; k++)
        s->triangles[k] = now[s->triangles[k]];
    s->point_count = kept;
    return CAROM_OK;
}

/* ---- STL ---- */

static uint32_t little(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double single(const unsigned char *b)
{
    uint32_t bits = little(b);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

enum { STL_HEAD = 84, STL_TRIANGLE = 50 };

static carom_status read_stl_binary(surface *s, const unsigned char *bytes, uint32_t count)
{
    carom_status status = CAROM_OK;
    for (uint32_t k = 0; k < count && status == CAROM_OK; k++) {
        const unsigned char *corner = bytes + STL_HEAD + (size_t)STL_TRIANGLE * k + 12;
        for (int i = 0; i < 3 && status == CAROM_OK; i++, corner += 12) {
            const double x[3] = {single(corner), single(corner + 4), single(corner + 8)};
            status = add_point(s, x, -(long)k - 1);
        }
        int first = 3 * (int)k;
        if (status == CAROM_OK)
            status = add_triangle(s, first, first + 1, first + 2);
    }
    return status;
}

/* A number with or without a sign; length 0: there is none. */
static double signed_number(const char *text, size_t *length)
{
    const bool sign = *text == '-' || *text == '+';
    double x = carom_number_prefix(text + sign, length);
    if (*length > 0)
        *length += sign;
    return *text == '-' ? -x : x;
}

/* Three numbers; where they end, or NULL. */
static const char *read_numbers(const char *text, double x[3])
{
    for (int k = 0; k < 3; k++) {
        size_t length = 0;
        while (*text == ' ' || *text == '\t')
            text++;
        x[k] = signed_number(text, &length);
        if (length == 0)
            return NULL;
        text += length;
    }
    return text;
}

/* The word at the start of a line; its length. */
static size_t word_length(const char *text)
{
    size_t k = 0;
    while (text[k] && !strchr(" \t\r\n", text[k]))
        k++;
    return k;
}

static const char *line_start(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

static bool starts(const char *text, const char *word)
{
    return word_length(text) == strlen(word) && strncmp(text, word, strlen(word)) == 0;
}

static carom_status read_stl_text(surface *s, const char *text)
{
    carom_status status = CAROM_OK;
    long line = 1;
    for (; *text && status == CAROM_OK; line++) {
        const char *at = line_start(text);
        if (starts(at, "vertex")) {
            double x[3];
            if (!read_numbers(at + 6, x))
                return carom_error_set(s->error, CAROM_ERROR_INPUT,
                                       "line %ld: a vertex must have three numbers", line);
            status = add_point(s, x, line);
            int count = (int)s->point_count;
            if (status == CAROM_OK && count % 3 == 0)
                status = add_triangle(s, count - 3, count - 2, count - 1);
        } else if (starts(at, "endloop") && s->point_count % 3 != 0) {
            return carom_error_set(s->error, CAROM_ERROR_INPUT,
                                   "line %ld: a facet must have three vertices", line);
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return status;
}

static carom_status read_stl(surface *s, const char *bytes, size_t size)
{
    const unsigned char *b = (const unsigned char *)bytes;
    uint32_t count = size >= STL_HEAD ? little(b + STL_HEAD - 4) : 0;
    bool binary = size >= STL_HEAD && (size - STL_HEAD) / STL_TRIANGLE == count &&
                  (size - STL_HEAD) % STL_TRIANGLE == 0;
    if (!binary && strncmp(line_start(bytes), "solid", 5) != 0)
        return carom_error_set(s->error, CAROM_ERROR_INPUT,
                               "it is no STL file: neither text that begins with `solid`, nor "
                               "binary with the length that its %lu triangles need",
                               (unsigned long)count);
    carom_status status = binary ? read_stl_binary(s, b, count) : read_stl_text(s, bytes);
    return status == CAROM_OK ? weld(s) : status;
}

/* ---- OBJ ---- */

static carom_status read_face(surface *s, const char *text, long line)
{
    long corner[3];
    for (int k = 0;; k++) {
        size_t length = 0;
        text = line_start(text);
        double number = signed_number(text, &length);
        if (length == 0) {
            if (*text && *text != '\r' && *text != '\n' && *text != '#')
                return carom_error_set(s->error, CAROM_ERROR_INPUT,
                                       "line %ld: a face must consist of numbers of points", line);
            return k >= 3
                       ? CAROM_OK
                       : carom_error_set(s->error, CAROM_ERROR_INPUT,
                                         "line %ld: a face must have at least three points", line);
        }
        const double count = (double)s->point_count;
        if (number < 0)
            number += count + 1;
        if (!(number >= 1 && number <= count) || number != floor(number))
            return carom_error_set(s->error, CAROM_ERROR_INPUT,
                                   "line %ld: there is no point %.40g; so far there are %.0f", line,
                                   number, count);
        corner[k < 2 ? k : 2] = (long)number - 1;
        text += word_length(text);
        carom_status status = CAROM_OK;
        if (k >= 2)
            status = add_triangle(s, (int)corner[0], (int)corner[1], (int)corner[2]);
        if (status != CAROM_OK)
            return status;
        if (k >= 2)
            corner[1] = corner[2];
    }
}

static carom_status read_obj(surface *s, const char *text)
{
    carom_status status = CAROM_OK;
    long line = 1;
    for (; *text && status == CAROM_OK; line++) {
        const char *at = line_start(text);
        double x[3];
        if (starts(at, "v")) {
            if (!read_numbers(at + 1, x))
                return carom_error_set(s->error, CAROM_ERROR_INPUT,
                                       "line %ld: a point must have three numbers", line);
            status = add_point(s, x, line);
        } else if (starts(at, "f")) {
            status = read_face(s, at + 1, line);
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return status;
}

/* ---- files ---- */

/* All bytes and a zero behind them. */
static carom_status read_bytes(const char *path, carom_arena *arena, char **bytes, size_t *size,
                               carom_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return carom_error_set(error, CAROM_ERROR_FILE, "cannot open the file: %s",
                               strerror(errno));
    size_t room = 1 << 16, used = 0;
    char *text = carom_arena_take(arena, room);
    while (text) {
        size_t got = fread(text + used, 1, room - used - 1, file);
        used += got;
        if (used + 1 < room || used > FILE_MOST)
            break;
        char *grown = carom_arena_take(arena, 2 * room);
        if (grown)
            memcpy(grown, text, used);
        text = grown;
        room *= 2;
    }
    bool bad = ferror(file);
    fclose(file);
    if (!text)
        return carom_error_memory(error);
    if (bad || used > FILE_MOST)
        return carom_error_set(error, CAROM_ERROR_FILE,
                               bad ? "cannot read the file" : "it is longer than 256 MiB");
    text[used] = '\0';
    *bytes = text;
    *size = used;
    return CAROM_OK;
}

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    if (length < tail)
        return false;
    for (size_t k = 0; k < tail; k++)
        if ((path[length - tail + k] | 0x20) != ending[k])
            return false;
    return true;
}

carom_status carom_scene_mesh(const char *path, carom_arena *arena, carom_shape_def *def,
                              carom_error *error)
{
    surface s = {.arena = arena, .error = error};
    char *bytes = NULL;
    size_t size = 0;
    bool obj = ends_with(path, ".obj");
    if (!obj && !ends_with(path, ".stl"))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the ending must be .stl or .obj: it says what the file is");
    carom_status status = read_bytes(path, arena, &bytes, &size, error);
    if (status == CAROM_OK)
        status = obj ? read_obj(&s, bytes) : read_stl(&s, bytes, size);
    if (status != CAROM_OK)
        return status;
    if (s.triangle_count == 0)
        return carom_error_set(error, CAROM_ERROR_INPUT, "it has no triangles");
    def->points = s.points;
    def->point_count = (int)s.point_count;
    def->triangles = s.triangles;
    def->triangle_count = (int)s.triangle_count;
    return CAROM_OK;
}
