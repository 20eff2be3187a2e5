/* Reads a scene file up to its limit and refuses characters that have no place in one. */
#include "scene/yaml_source.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

static carom_status too_large(carom_error *error)
{
    return carom_error_set(error, CAROM_ERROR_INPUT,
                           "the file is too large: more than %zu MiB are not read",
                           CAROM_YAML_SOURCE_LIMIT >> 20);
}

static carom_status grow(carom_yaml_source *source, size_t room, carom_error *error)
{
    char *grown = source->allocator.resize(source->allocator.self, source->text, room);
    if (!grown)
        return carom_error_memory(error);
    source->text = grown;
    source->room = room;
    return CAROM_OK;
}

static carom_status read_all(FILE *file, carom_yaml_source *source, carom_error *error)
{
    carom_status status = grow(source, 1 << 16, error);
    while (status == CAROM_OK) {
        /* One byte is kept free for the zero at the end. */
        size_t got = fread(source->text + source->size, 1, source->room - 1 - source->size, file);
        source->size += got;
        if (ferror(file))
            return carom_error_set(error, CAROM_ERROR_FILE, "cannot read the file: %s",
                                   strerror(errno));
        if (source->size > CAROM_YAML_SOURCE_LIMIT)
            return too_large(error);
        if (feof(file))
            break;
        if (source->size + 1 == source->room)
            status = grow(source, 2 * source->room, error);
    }
    if (status == CAROM_OK)
        source->text[source->size] = '\0';
    return status;
}

carom_status carom_yaml_source_read(FILE *file, const carom_allocator *allocator,
                                    carom_yaml_source *source, carom_error *error)
{
    struct stat info;
    if (fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) &&
        (uintmax_t)info.st_size > CAROM_YAML_SOURCE_LIMIT)
        return too_large(error);
    carom_yaml_source made = {carom_allocator_given(allocator), NULL, 0, 0};
    errno = 0;
    carom_status status = read_all(file, &made, error);
    if (status != CAROM_OK)
        carom_yaml_source_destroy(&made);
    else
        *source = made;
    return status;
}

void carom_yaml_source_destroy(carom_yaml_source *source)
{
    if (source->text)
        source->allocator.resize(source->allocator.self, source->text, 0);
    source->text = NULL;
}

int carom_yaml_source_character(const char *s, size_t left, unsigned *code)
{
    const unsigned char *b = (const unsigned char *)s;
    *code = b[0];
    if (b[0] < 0x80)
        return 1;
    int length = b[0] >= 0xF0 ? 4 : b[0] >= 0xE0 ? 3 : 2;
    if (b[0] < 0xC2 || b[0] > 0xF4 || left < (size_t)length)
        return 0;
    *code &= 0xFFu >> (length + 1);
    for (int k = 1; k < length; k++) {
        if ((b[k] & 0xC0) != 0x80)
            return 0;
        *code = *code << 6 | (b[k] & 0x3Fu);
    }
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    bool surrogate = *code >= 0xD800 && *code <= 0xDFFF;
    return *code < least[length] || surrogate || *code > 0x10FFFF ? 0 : length;
}

/* Which characters YAML allows in a file. */
static bool is_allowed(unsigned code)
{
    if (code < 0x80)
        return (code >= 0x20 && code != 0x7F) || code == '\t' || code == '\n' || code == '\r';
    return code == 0x85 || (code >= 0xA0 && code != 0xFEFF && code != 0xFFFE && code != 0xFFFF);
}

/* The characters that end a line for libyaml, whose line numbers we share. */
static bool is_break(unsigned code)
{
    return code == '\n' || code == '\r' || code == 0x85 || code == 0x2028 || code == 0x2029;
}

carom_status carom_yaml_source_check(const char *text, size_t size, size_t *skip,
                                     carom_error *error)
{
    if (size > CAROM_YAML_SOURCE_LIMIT)
        return too_large(error);
    size_t start = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    int line = 1, column = 1;
    for (size_t k = start; k < size;) {
        unsigned code;
        int length = carom_yaml_source_character(text + k, size - k, &code);
        if (length == 0)
            return carom_error_at(error, CAROM_ERROR_INPUT, line, column,
                                  "the file is not UTF-8: byte 0x%02X begins no character",
                                  (unsigned char)text[k]);
        if (!is_allowed(code))
            return carom_error_at(error, CAROM_ERROR_INPUT, line, column,
                                  "control character U+%04X is not allowed in a scene", code);
        k += (size_t)length;
        if (is_break(code)) {
            if (code == '\r' && k < size && text[k] == '\n')
                k++;
            line++;
            column = 1;
        } else {
            column++;
        }
    }
    *skip = start;
    return CAROM_OK;
}
