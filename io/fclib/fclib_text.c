/* The text format of Siconos: numbers separated by white space; only sparse matrices have lines of
 * words. Sizes are believed only as far as the text is long: every number takes two bytes. */
#include "fclib/raw.h"

#include "carom/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct source {
    const char *text, *at, *end;
    carom_arena *arena;
    carom_error *error;
} source;

/* Complain about what stands at `where`. */
static carom_status bad(source *s, const char *where, const char *what)
{
    int line = 1, column = 1;
    for (const char *p = s->text; p < where; p++) {
        column = *p == '\n' ? 1 : column + 1;
        line += *p == '\n';
    }
    return carom_error_at(s->error, CAROM_ERROR_INPUT, line, column, "%s", what);
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

static void skip_blanks(source *s)
{
    while (s->at < s->end && blank(*s->at))
        s->at++;
}

static void skip_line(source *s)
{
    while (s->at < s->end && *s->at++ != '\n')
        ;
}

/* The next word, at most 63 bytes; 0: none. It is not taken. */
static size_t peek(source *s, char word[64])
{
    skip_blanks(s);
    size_t length = 0;
    while (s->at + length < s->end && !blank(s->at[length]) && length < 63) {
        word[length] = s->at[length];
        length++;
    }
    word[length] = '\0';
    return length;
}

static carom_status read_real(source *s, const char *name, double *value)
{
    char word[64], text[200];
    size_t length = peek(s, word);
    if (length == 0) {
        snprintf(text, sizeof text, "the file ends where %s should stand", name);
        return bad(s, s->at, text);
    }
    bool cut = s->at + length < s->end && !blank(s->at[length]); /* longer than any number */
    if (cut || strlen(word) != length || !carom_number_parse(word, value)) {
        snprintf(text, sizeof text, "'%s' is not a number; %s should stand here", word, name);
        return bad(s, s->at, text);
    }
    if (!isfinite(*value)) {
        snprintf(text, sizeof text, "'%s' (%s) is not finite", word, name);
        return bad(s, s->at, text);
    }
    s->at += length;
    return CAROM_OK;
}

static carom_status read_integer(source *s, const char *name, int least, int most, int *value)
{
    double x;
    char word[64], text[240];
    peek(s, word);
    const char *where = s->at;
    carom_status status = read_real(s, name, &x);
    if (status != CAROM_OK)
        return status;
    if (x != floor(x) || x < least || x > most) {
        snprintf(text, sizeof text, "%s is %s; it should be an integer from %d to %d", name, word,
                 least, most);
        return bad(s, where, text);
    }
    *value = (int)x;
    return CAROM_OK;
}

/* Are `count` numbers possible in what is left of the text? */
static carom_status check_room(source *s, const char *name, double count)
{
    char text[200];
    if (count <= (double)(s->end - s->at) / 2 + 1)
        return CAROM_OK;
    snprintf(text, sizeof text, "%s would need %.0f numbers, which the file is too short for", name,
             count);
    return bad(s, s->at, text);
}

static carom_status read_reals(source *s, const char *name, size_t count, const double **values)
{
    carom_status status = check_room(s, name, (double)count);
    double *x = status == CAROM_OK ? carom_arena_doubles(s->arena, count) : NULL;
    if (status == CAROM_OK && !x)
        return carom_error_memory(s->error);
    for (size_t i = 0; i < count && status == CAROM_OK; i++)
        status = read_real(s, name, &x[i]);
    *values = x;
    return status;
}

static carom_status take_entries(source *s, carom_fclib_matrix *A, size_t count)
{
    return carom_fclib_matrix_room(A, count, s->arena) ? CAROM_OK : carom_error_memory(s->error);
}

/* ---- storages ----------------------------------------------------------------------------- */

static carom_status read_dense(source *s, const char *name, carom_fclib_matrix *A)
{
    int rows, columns;
    carom_status status = read_integer(s, name, A->rows, A->rows, &rows);
    if (status == CAROM_OK)
        status = read_integer(s, name, A->columns, A->columns, &columns);
    double count = (double)A->rows * A->columns;
    if (status == CAROM_OK)
        status = check_room(s, name, count);
    if (status == CAROM_OK)
        status = take_entries(s, A, (size_t)count);
    for (int j = 0; j < A->columns && status == CAROM_OK; j++)
        for (int i = 0; i < A->rows && status == CAROM_OK; i++) {
            double x;
            status = read_real(s, name, &x);
            if (status == CAROM_OK)
                carom_fclib_matrix_put(A, i, j, x);
        }
    return status;
}

/* `count` integers, each at least the one before and at most `most`. */
static carom_status read_ascending(source *s, const char *name, int count, int least, int most,
                                   int **values)
{
    carom_status status = check_room(s, name, count);
    int *list =
        status == CAROM_OK ? carom_arena_array(s->arena, (size_t)count + 1, sizeof *list) : NULL;
    if (status == CAROM_OK && !list)
        return carom_error_memory(s->error);
    for (int i = 0; i < count && status == CAROM_OK; i++) {
        status = read_integer(s, name, least, most, &list[i]);
        if (status == CAROM_OK)
            least = list[i];
    }
    *values = list;
    return status;
}

typedef struct grid {
    int blocks, rows, columns; /* numbers of blocks */
    int *row_end, *column_end, *pointer;
    int *column; /* of each block */
} grid;

static carom_status read_grid(source *s, const carom_fclib_matrix *A, grid *g)
{
    int pointers, filled;
    carom_status status = read_integer(s, "the number of blocks", 0, INT_MAX, &g->blocks);
    if (status == CAROM_OK)
        status = read_integer(s, "the number of block rows", 1, A->rows, &g->rows);
    if (status == CAROM_OK)
        status = read_integer(s, "the number of block columns", 1, A->columns, &g->columns);
    if (status == CAROM_OK)
        status = read_ascending(s, "a row end of the blocks", g->rows, 1, A->rows, &g->row_end);
    if (status == CAROM_OK)
        status = read_ascending(s, "a column end of the blocks", g->columns, 1, A->columns,
                                &g->column_end);
    if (status == CAROM_OK &&
        (g->row_end[g->rows - 1] != A->rows || g->column_end[g->columns - 1] != A->columns))
        return bad(s, s->at, "the blocks do not end where the matrix ends");
    if (status == CAROM_OK)
        status = read_integer(s, "the number of row pointers", g->rows + 1, g->rows + 1, &pointers);
    if (status == CAROM_OK)
        status =
            read_integer(s, "the number of block columns stored", g->blocks, g->blocks, &filled);
    if (status == CAROM_OK)
        status = read_ascending(s, "a row pointer", g->rows + 1, 0, g->blocks, &g->pointer);
    if (status == CAROM_OK && (g->pointer[0] != 0 || g->pointer[g->rows] != g->blocks))
        return bad(s, s->at, "the row pointers do not span all blocks");
    if (status == CAROM_OK)
        status = check_room(s, "the columns of the blocks", g->blocks);
    if (status == CAROM_OK &&
        !(g->column = carom_arena_array(s->arena, (size_t)g->blocks + 1, sizeof *g->column)))
        return carom_error_memory(s->error);
    for (int k = 0; k < g->blocks && status == CAROM_OK; k++)
        status = read_integer(s, "a block column", 0, g->columns - 1, &g->column[k]);
    return status;
}

/* The entries of block k, which is in block row i. */
static carom_status read_block(source *s, const char *name, const grid *g, int i, int k,
                               carom_fclib_matrix *A)
{
    int j = g->column[k], top = i ? g->row_end[i - 1] : 0, left = j ? g->column_end[j - 1] : 0,
        number;
    carom_status status = read_integer(s, "the number of a block", k, k, &number);
    for (int c = left; c < g->column_end[j] && status == CAROM_OK; c++)
        for (int r = top; r < g->row_end[i] && status == CAROM_OK; r++) {
            double x;
            status = read_real(s, name, &x);
            if (status == CAROM_OK)
                carom_fclib_matrix_put(A, r, c, x);
        }
    return status;
}

static carom_status read_blocks(source *s, const char *name, carom_fclib_matrix *A)
{
    grid g;
    carom_status status = read_grid(s, A, &g);
    double count = 0;
    for (int i = 0; i < g.rows && status == CAROM_OK; i++)
        for (int k = g.pointer[i]; k < g.pointer[i + 1]; k++) {
            int j = g.column[k];
            count += (double)(g.row_end[i] - (i ? g.row_end[i - 1] : 0)) *
                     (g.column_end[j] - (j ? g.column_end[j - 1] : 0));
        }
    if (status == CAROM_OK)
        status = check_room(s, name, count);
    if (status == CAROM_OK)
        status = take_entries(s, A, (size_t)count);
    for (int i = 0; status == CAROM_OK && i < g.rows; i++)
        for (int k = g.pointer[i]; k < g.pointer[i + 1] && status == CAROM_OK; k++)
            status = read_block(s, name, &g, i, k, A);
    return status;
}

/* Take a word that must be there. */
static carom_status expect(source *s, const char *wanted)
{
    char word[64], text[200];
    size_t length = peek(s, word);
    if (strcmp(word, wanted) == 0) {
        s->at += length;
        return CAROM_OK;
    }
    snprintf(text, sizeof text, "'%s' should stand here, not '%s'", wanted, word);
    return bad(s, s->at, text);
}

/* The number of entries from `m-by-n, nzmax: Z nnz: Z, 1-norm: V`. */
static carom_status read_header(source *s, int *count)
{
    char word[64];
    skip_blanks(s);
    source line = *s;
    for (line.end = line.at; line.end < s->end && *line.end != '\n'; line.end++)
        ;
    for (size_t length; (length = peek(&line, word)) > 0; line.at += length) {
        if (strcmp(word, "nnz:") != 0)
            continue;
        line.at += length;
        peek(&line, word);
        double x = carom_number_prefix(word, &length);
        if (length == 0 || x != floor(x) || x > INT_MAX)
            break;
        *count = (int)x;
        skip_line(s);
        return CAROM_OK;
    }
    return bad(s, s->at, "a line 'm-by-n, nzmax: Z nnz: Z, 1-norm: V' should stand here");
}

/* Compressed columns (or rows): `col J : locations A to B`, then B - A + 1 lines `i : value`. */
static carom_status read_compressed(source *s, const char *name, bool rows, int count,
                                    carom_fclib_matrix *A)
{
    int outer = rows ? A->rows : A->columns, inner = rows ? A->columns : A->rows, seen = 0;
    carom_status status = CAROM_OK;
    for (int j = 0; j < outer && status == CAROM_OK; j++) {
        int number, from, to;
        status = expect(s, rows ? "row" : "col");
        if (status == CAROM_OK)
            status = read_integer(s, "its number", j, j, &number);
        if (status == CAROM_OK && (status = expect(s, ":")) == CAROM_OK)
            status = expect(s, "locations");
        if (status == CAROM_OK)
            status = read_integer(s, "the first location", seen, seen, &from);
        if (status == CAROM_OK && (status = expect(s, "to")) == CAROM_OK)
            status = read_integer(s, "the last location", from - 1, count - 1, &to);
        for (; status == CAROM_OK && seen <= to; seen++) {
            int i;
            double x;
            status = read_integer(s, "an index", 0, inner - 1, &i);
            if (status == CAROM_OK && (status = expect(s, ":")) == CAROM_OK)
                status = read_real(s, name, &x);
            if (status == CAROM_OK)
                carom_fclib_matrix_put(A, rows ? j : i, rows ? i : j, x);
        }
    }
    return status;
}

static carom_status read_triplets(source *s, const char *name, int count, carom_fclib_matrix *A)
{
    carom_status status = CAROM_OK;
    for (int k = 0; k < count && status == CAROM_OK; k++) {
        int i, j;
        double x;
        status = read_integer(s, "a row index", 0, A->rows - 1, &i);
        if (status == CAROM_OK)
            status = read_integer(s, "a column index", 0, A->columns - 1, &j);
        if (status == CAROM_OK && (status = expect(s, ":")) == CAROM_OK)
            status = read_real(s, name, &x);
        if (status == CAROM_OK)
            carom_fclib_matrix_put(A, i, j, x);
    }
    return status;
}

static carom_status read_sparse(source *s, const char *name, carom_fclib_matrix *A)
{
    int origin, count = 0;
    carom_status status = read_integer(s, "the kind of sparse matrix", 1, 3, &origin);
    if (status != CAROM_OK)
        return status;
    skip_line(s);
    skip_line(s); /* the version of a library */
    status = read_header(s, &count);
    if (status == CAROM_OK)
        status = check_room(s, name, count);
    if (status == CAROM_OK)
        status = take_entries(s, A, (size_t)count);
    if (status != CAROM_OK)
        return status;
    return origin == 1 ? read_triplets(s, name, count, A)
                       : read_compressed(s, name, origin == 3, count, A);
}

static carom_status read_matrix(source *s, const char *name, carom_fclib_matrix *A, bool *dense)
{
    int storage;
    carom_status status = read_integer(s, "the storage of a matrix", 0, 2, &storage);
    if (status == CAROM_OK)
        status = read_integer(s, "the number of rows", 1, INT_MAX, &A->rows);
    if (status == CAROM_OK)
        status = read_integer(s, "the number of columns", 1, INT_MAX, &A->columns);
    if (status != CAROM_OK)
        return status;
    *dense = storage == 0;
    return storage == 0   ? read_dense(s, name, A)
           : storage == 1 ? read_blocks(s, name, A)
                          : read_sparse(s, name, A);
}

/* ---- the problem -------------------------------------------------------------------------- */

/* Does a second matrix follow? Then far more words are left than q, mu and one number more. */
static bool matrix_follows(source s, const carom_fclib_raw *raw)
{
    char word[64];
    double most = (raw->dimension + 1.0) * raw->contacts + 1, count = 0;
    for (size_t length; count <= most && (length = peek(&s, word)) > 0; s.at += length)
        count++;
    return count > most;
}

static carom_status check_sizes(source *s, const carom_fclib_raw *raw)
{
    int n = raw->dimension * raw->contacts;
    const carom_fclib_matrix *M = &raw->M, *H = &raw->H;
    char text[200] = "";
    if (M->rows != M->columns)
        snprintf(text, sizeof text, "the first matrix is %d x %d; it should be square", M->rows,
                 M->columns);
    else if (!raw->global && M->rows != n)
        snprintf(text, sizeof text, "the matrix has %d rows; %d contacts of dimension %d have %d",
                 M->rows, raw->contacts, raw->dimension, n);
    else if (raw->global && (H->rows != M->rows || H->columns != n))
        snprintf(text, sizeof text, "H is %d x %d; it should be %d x %d", H->rows, H->columns,
                 M->rows, n);
    return *text ? bad(s, s->at, text) : CAROM_OK;
}

carom_status carom_fclib_text_read(const char *text, size_t length, carom_arena *arena,
                                   carom_fclib_raw *raw, carom_error *error)
{
    source s = {text, text, text + length, arena, error};
    *raw = (carom_fclib_raw){.title = "", .description = "", .math_info = ""};
    carom_status status = read_integer(&s, "the dimension", 2, 3, &raw->dimension);
    if (status == CAROM_OK)
        status = read_integer(&s, "the number of contacts", 0, INT_MAX / 3, &raw->contacts);
    if (status == CAROM_OK)
        status = read_matrix(&s, "an entry of the matrix", &raw->M, &raw->dense);
    if (status == CAROM_OK && matrix_follows(s, raw)) {
        bool dense;
        raw->global = true;
        status = read_matrix(&s, "an entry of H", &raw->H, &dense);
    }
    if (status == CAROM_OK)
        status = check_sizes(&s, raw);
    size_t n = (size_t)raw->dimension * (size_t)raw->contacts;
    if (status == CAROM_OK && raw->global)
        status = read_reals(&s, "an entry of q", (size_t)raw->M.rows, &raw->f);
    if (status == CAROM_OK)
        status = read_reals(&s, raw->global ? "an entry of b" : "an entry of q", n, &raw->q);
    if (status == CAROM_OK)
        status = read_reals(&s, "a coefficient of friction", (size_t)raw->contacts, &raw->mu);
    return status;
}
