/* Sentences of the library on a page: `words` as code, mathematics typed in ASCII set as such.
 *
 * What counts as mathematics: single letters other than the article, Greek letters by their names,
 * with what hangs on them (v_n-, G^-1, E', mu_bar), comparisons (<=), norms with an index (|E|_F),
 * sizes (2 x 3), roots (sqrt). Words, names with underscores and numbers stay as they are. */
#include "pictures/page.h"

#include <ctype.h>
#include <string.h>

static void literal(carom_page *page, const char *text)
{
    carom_text_append(&page->out, text, strlen(text));
}

static void escaped(carom_page *page, const char *text, size_t length)
{
    char piece[2] = {0};
    for (size_t k = 0; k < length; k++) {
        if ((unsigned char)text[k] >= 0x80) { /* the rest of a character must stay with it */
            char word[8] = {text[k]};
            for (size_t n = 1; n < 4 && k + 1 < length && (text[k + 1] & 0xC0) == 0x80; n++)
                word[n] = text[++k];
            carom_page_text(page, word);
            continue;
        }
        piece[0] = text[k];
        carom_page_text(page, piece);
    }
}

static const struct greek {
    const char *name, *letter;
} greek[] = {{"alpha", "α"}, {"beta", "β"},   {"gamma", "γ"}, {"delta", "δ"},  {"epsilon", "ε"},
             {"eta", "η"},   {"theta", "θ"},  {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},
             {"xi", "ξ"},    {"rho", "ρ"},    {"sigma", "σ"}, {"tau", "τ"},    {"phi", "φ"},
             {"Gamma", "Γ"}, {"Lambda", "Λ"}, {"Delta", "Δ"}, {"Xi", "Ξ"},     {"omega", "ω"}};

/* The letter a word stands for, NULL when it is a word: one letter, or the name of a Greek one. */
static const char *letter_of(const char *word, size_t length, char one[2])
{
    if (length == 1 && word[0] != 'a' && word[0] != 'A') {
        one[0] = word[0];
        one[1] = '\0';
        return one;
    }
    for (size_t k = 0; k < sizeof greek / sizeof *greek; k++)
        if (strlen(greek[k].name) == length && strncmp(word, greek[k].name, length) == 0)
            return greek[k].letter;
    return NULL;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* May a sign that hangs on a letter (v-, u+) stand before this character? */
static bool ends(char c)
{
    return c == '\0' || c == ' ' || strchr(".,;:)|]", c);
}

/* An index: letters and digits after '_'. Returns the characters used; 0: none. */
static size_t subscript(carom_page *page, const char *at)
{
    if (*at != '_' || !isalnum((unsigned char)at[1]))
        return 0;
    size_t length = 1;
    while (isalnum((unsigned char)at[1 + length]))
        length++;
    char one[2];
    const char *letter = letter_of(at + 1, length, one);
    literal(page, "<sub>");
    if (letter)
        literal(page, letter);
    else
        escaped(page, at + 1, length);
    literal(page, "</sub>");
    return 1 + length;
}

/* A power: "^-1", "^2", "^eta". */
static size_t power(carom_page *page, const char *at)
{
    if (*at != '^' || !(isalnum((unsigned char)at[1]) || at[1] == '-'))
        return 0;
    size_t used = 1;
    literal(page, "<sup>");
    if (at[used] == '-') {
        literal(page, "−");
        used++;
    }
    size_t length = strspn(at + used, "0123456789"); /* a number, or else a letter's name */
    if (length == 0)
        while (isalpha((unsigned char)at[used + length]))
            length++;
    char one[2];
    const char *letter = letter_of(at + used, length, one);
    if (letter)
        literal(page, letter);
    else
        escaped(page, at + used, length);
    literal(page, "</sup>");
    return used + length;
}

/* What hangs on a symbol: index, prime as transposition, power, the sign of before and after. */
static size_t hangings(carom_page *page, const char *at, char base)
{
    size_t used = subscript(page, at);
    if (at[used] == '\'' && (isupper((unsigned char)base) || strchr("nt", base))) {
        literal(page, "<sup>T</sup>");
        used++;
    }
    used += power(page, at + used);
    bool velocity = strchr("uvpT", base) != NULL;
    if (velocity && (at[used] == '-' || at[used] == '+') && ends(at[used + 1])) {
        literal(page, at[used] == '-' ? "<sup>−</sup>" : "<sup>+</sup>");
        used++;
    }
    return used;
}

/* A symbol at the start of a word: its letter in italics with what hangs on it. 0: it is a word. */
static size_t symbol(carom_page *page, const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]))
        length++;
    char one[2];
    const char *letter = letter_of(at, length, one);
    if (!letter || (at[length] == '_' && !isalnum((unsigned char)at[length + 1])))
        return 0;
    bool bar = strncmp(at + length, "_bar", 4) == 0 && !in_word(at[length + 4]);
    literal(page, "<i>");
    literal(page, letter);
    literal(page, bar ? "\xCC\x84</i>" : "</i>");
    length += bar ? 4 : 0;
    char base = letter == one ? one[0] : isupper((unsigned char)at[0]) ? 'G' : 'g';
    return length + hangings(page, at + length, base);
}

/* "2 x 3", "p x p": the sign of a product of sizes. */
static bool product(const char *from, const char *at)
{
    return at > from + 1 && at[-1] == ' ' && at[0] == 'x' && at[1] == ' ' &&
           isalnum((unsigned char)at[-2]) && (at == from + 2 || !isalpha((unsigned char)at[-3])) &&
           (isdigit((unsigned char)at[2]) || (isalpha((unsigned char)at[2]) && !in_word(at[3])));
}

/* One sign that ASCII writes otherwise; 0: none here. */
static size_t sign(carom_page *page, const char *from, const char *at)
{
    static const struct {
        const char *typed, *set;
    } signs[] = {{"<=", "≤"}, {">=", "≥"}, {"->", "→"}, {"sqrt(", "√("}};
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
        if (strncmp(at, signs[k].typed, strlen(signs[k].typed)) == 0) {
            literal(page, signs[k].set);
            return strlen(signs[k].typed);
        }
    if (product(from, at)) {
        literal(page, "×");
        return 1;
    }
    bool minus = *at == '-' && (at == from || strchr(" (=[", at[-1])) && at[1] && at[1] != '-';
    if (minus && (at[1] != ' ' || (at > from && at[-1] == ' '))) {
        literal(page, "−");
        return 1;
    }
    if (*at == '|' || *at == ')') { /* norms and brackets may carry an index or a power */
        carom_page_raw(page, "%c", *at);
        size_t used = 1 + subscript(page, at + 1);
        return used + power(page, at + used);
    }
    return 0;
}

/* Text without code in it. */
static void mathematics(carom_page *page, const char *from, size_t length)
{
    char text[1024];
    if (length >= sizeof text) { /* longer than any sentence of the library */
        escaped(page, from, length);
        return;
    }
    memcpy(text, from, length);
    text[length] = '\0';
    bool hanging = false; /* directly behind a symbol and what hangs on it */
    for (const char *at = text; *at;) {
        bool word = isalpha((unsigned char)*at) && (at == text || hanging || !in_word(at[-1]));
        bool genitive = at > text && at[-1] == '\'' && *at == 's' && !in_word(at[1]);
        size_t used = sign(page, text, at);
        if (!used && word && !genitive)
            used = symbol(page, at);
        hanging = used > 0;
        if (!used && word) { /* a plain one, whole */
            while (in_word(at[used]))
                used++;
            escaped(page, at, used);
        } else if (!used) {
            used = 1;
            while (((unsigned char)at[used] & 0xC0) == 0x80)
                used++;
            escaped(page, at, used);
        }
        at += used;
    }
}

void carom_page_prose(carom_page *page, const char *text)
{
    const char *open, *close;
    while (text && (open = strchr(text, '`')) && (close = strchr(open + 1, '`'))) {
        mathematics(page, text, (size_t)(open - text));
        literal(page, "<code>");
        escaped(page, open + 1, (size_t)(close - open - 1));
        literal(page, "</code>");
        text = close + 1;
    }
    if (text)
        mathematics(page, text, strlen(text));
}
