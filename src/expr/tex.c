/* Pieces of LaTeX: a text that grows, words, names, numbers. */
#include "expr/tex.h"

#include "carom/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

carom_status carom_tex_begin(carom_tex *tex, const carom_scope *scope, carom_arena *arena,
                             carom_error *error)
{
    *tex = (carom_tex){.arena = arena, .scope = scope, .room = 1024};
    tex->text = carom_arena_array(arena, tex->room, 1);
    if (!tex->text)
        return carom_error_memory(error);
    tex->text[0] = '\0';
    return CAROM_OK;
}

carom_status carom_tex_check(const carom_tex *tex, carom_error *error)
{
    if (tex->too_long)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "the equations written out are longer than %d characters",
                               CAROM_TEX_MOST);
    return tex->no_memory ? carom_error_memory(error) : CAROM_OK;
}

void carom_tex_put(carom_tex *tex, const char *piece)
{
    const size_t length = strlen(piece);
    if (tex->no_memory || tex->too_long)
        return;
    if (tex->length + length > CAROM_TEX_MOST) {
        tex->too_long = true;
        return;
    }
    if (tex->length + length + 1 > tex->room) {
        size_t room = 2 * (tex->length + length + 1);
        char *grown = carom_arena_array(tex->arena, room, 1);
        tex->no_memory = !grown;
        if (!grown)
            return;
        memcpy(grown, tex->text, tex->length);
        tex->text = grown;
        tex->room = room;
    }
    memcpy(tex->text + tex->length, piece, length + 1);
    tex->length += length;
}

static void put_character(carom_tex *t, char c)
{
    const char piece[] = {c, '\0'};
    carom_tex_put(t, piece);
}

void carom_tex_words(carom_tex *tex, const char *words)
{
    for (; *words; words++) {
        if (*words == '\\')
            carom_tex_put(tex, "\\textbackslash{}");
        else if (*words == '~' || *words == '^')
            carom_tex_put(tex, *words == '~' ? "\\textasciitilde{}" : "\\textasciicircum{}");
        else {
            if (strchr("#$%&_{}", *words))
                put_character(tex, '\\');
            put_character(tex, *words);
        }
    }
}

/* Names. */

static bool is_greek(const char *name, size_t length)
{
    static const char *const letters[] = {
        "alpha", "beta",    "gamma",  "delta", "epsilon", "zeta",  "eta",   "theta",
        "iota",  "kappa",   "lambda", "mu",    "nu",      "xi",    "rho",   "sigma",
        "tau",   "upsilon", "phi",    "chi",   "psi",     "omega", "Gamma", "Delta",
        "Theta", "Lambda",  "Xi",     "Sigma", "Phi",     "Psi",   "Omega"};
    for (size_t k = 0; k < sizeof letters / sizeof *letters; k++)
        if (strlen(letters[k]) == length && memcmp(letters[k], name, length) == 0)
            return true;
    return false;
}

/* The stem of a name: a letter, a Greek letter, or a word. */
static void put_stem(carom_tex *t, const char *name, size_t length)
{
    static const struct {
        const char *name, *letter;
    } short_names[] = {{"th", "\\theta"}, {"ph", "\\varphi"}, {"phi", "\\varphi"}};
    for (size_t k = 0; k < sizeof short_names / sizeof *short_names; k++)
        if (strlen(short_names[k].name) == length &&
            memcmp(short_names[k].name, name, length) == 0) {
            carom_tex_put(t, short_names[k].letter);
            return;
        }
    char stem[80];
    snprintf(stem, sizeof stem, "%.*s", length < 70 ? (int)length : 70, name);
    if (length == 1 && *name != '_') {
        carom_tex_put(t, stem);
    } else if (is_greek(name, length)) {
        carom_tex_put(t, "\\");
        carom_tex_put(t, stem);
    } else {
        carom_tex_put(t, "\\mathit{");
        carom_tex_words(t, stem);
        carom_tex_put(t, "}");
    }
}

/* theta1, x_left, mH: what follows the letters, the first _, or one letter in front of a capital,
 * is an index. A dot goes on the stem. */
static void put_name(carom_tex *t, const char *name, bool dot)
{
    size_t length = strlen(name), stem = 0;
    while (isalpha((unsigned char)name[stem]))
        stem++;
    if (stem == 2 && isupper((unsigned char)name[1]))
        stem = 1;
    const char *index = name + stem + (name[stem] == '_' && stem > 0 && name[stem + 1]);
    if (stem == 0)
        stem = length, index = name + length;
    if (dot)
        carom_tex_put(t, "\\dot{");
    put_stem(t, name, stem);
    if (dot)
        carom_tex_put(t, "}");
    if (*index) {
        bool word = strlen(index) > 1 && isalpha((unsigned char)*index);
        carom_tex_put(t, word ? "_{\\mathrm{" : "_{");
        carom_tex_words(t, index);
        carom_tex_put(t, word ? "}}" : "}");
    }
}

void carom_tex_symbol(carom_tex *tex, const char *name)
{
    put_name(tex, name, false);
}

void carom_tex_variable(carom_tex *tex, carom_variable v)
{
    carom_tex *t = tex;
    if (v == CAROM_VARIABLE_T) {
        carom_tex_put(t, "t");
        return;
    }
    const carom_symbol_kind kind =
        CAROM_VARIABLE_PARAMETER(v) ? CAROM_SYMBOL_PARAMETER : CAROM_SYMBOL_COORDINATE;
    for (uint32_t k = 0; k < t->scope->count; k++) {
        const carom_symbol *s = &t->scope->symbols[k];
        if (s->kind == kind && s->index == CAROM_VARIABLE_INDEX(v)) {
            put_name(t, s->text, CAROM_VARIABLE_VELOCITY(v));
            return;
        }
    }
}

/* Constants. */

bool carom_tex_fraction(double x, int *p, int *q)
{
    for (*q = 1; *q <= 64; ++*q) {
        double n = x * *q;
        if (n <= 1e6 && n == rint(n) && n / *q == x) {
            *p = (int)n;
            return true;
        }
    }
    return false;
}

static void put_number(carom_tex *t, double x)
{
    char digits[CAROM_NUMBER_SIZE], exponent[24], *power;
    if (x == CAROM_PI) {
        carom_tex_put(t, "\\pi");
        return;
    }
    carom_number_print(x, digits);
    power = strchr(digits, 'e');
    if (!power) {
        carom_tex_put(t, digits);
        return;
    }
    *power++ = '\0';
    if (strcmp(digits, "1") != 0) {
        carom_tex_put(t, digits);
        carom_tex_put(t, " \\cdot ");
    }
    snprintf(exponent, sizeof exponent, "10^{%d}", atoi(power));
    carom_tex_put(t, exponent);
}

void carom_tex_constant(carom_tex *tex, double x)
{
    carom_tex *t = tex;
    int p, q;
    char text[64];
    if (x < 0)
        carom_tex_put(t, "-");
    x = fabs(x);
    if (carom_tex_fraction(x, &p, &q) && q > 1) {
        snprintf(text, sizeof text, "\\tfrac{%d}{%d}", p, q);
        carom_tex_put(t, text);
    } else {
        put_number(t, x);
    }
}
