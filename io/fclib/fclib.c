/* Frictional contact problems in files: which format, whole files in memory. */
#include "carom/need.h"
#include "fclib/raw.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

carom_status carom_fclib_read_text(const char *text, size_t length, carom_arena *arena,
                                   carom_fclib *file, carom_error *error)
{
    CAROM_NEED(error, text, arena, file);
    carom_fclib_raw raw;
    carom_status status = carom_fclib_text_read(text, length, arena, &raw, error);
    return status == CAROM_OK ? carom_fclib_build(&raw, arena, file, error) : status;
}

static carom_status unreadable(carom_error *error)
{
    return carom_error_set(error, CAROM_ERROR_FILE, "%s", strerror(errno));
}

/* All bytes of an open file. */
static carom_status read_all(FILE *in, carom_arena *arena, char **text, size_t *length,
                             carom_error *error)
{
    size_t room = 1 << 16, used = 0;
    char *bytes = carom_arena_take(arena, room);
    while (bytes) {
        size_t got = fread(bytes + used, 1, room - used, in);
        used += got;
        if (got == 0)
            break;
        if (used < room)
            continue;
        char *more = carom_arena_take(arena, 2 * room);
        if (more)
            memcpy(more, bytes, used);
        bytes = more;
        room *= 2;
    }
    if (!bytes)
        return carom_error_memory(error);
    *text = bytes;
    *length = used;
    return ferror(in) ? unreadable(error) : CAROM_OK;
}

carom_status carom_fclib_read(const char *path, carom_arena *arena, carom_fclib *file,
                              carom_error *error)
{
    CAROM_NEED(error, path, arena, file);
    static const char signature[] = "\211HDF\r\n\032\n";
    FILE *in = fopen(path, "rb");
    if (!in)
        return unreadable(error);
    char head[8] = "";
    carom_status status = CAROM_OK;
    size_t length = fread(head, 1, sizeof head, in);
    if (length == sizeof head && memcmp(head, signature, sizeof head) == 0) {
        fclose(in);
        carom_fclib_raw raw;
        status = carom_fclib_hdf5_read(path, arena, &raw, error);
        return status == CAROM_OK ? carom_fclib_build(&raw, arena, file, error) : status;
    }
    char *text = NULL;
    rewind(in);
    status = read_all(in, arena, &text, &length, error);
    fclose(in);
    return status == CAROM_OK ? carom_fclib_read_text(text, length, arena, file, error) : status;
}
