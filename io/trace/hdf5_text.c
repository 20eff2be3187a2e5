/* Texts in HDF5 files. */
#include "trace/hdf5_text.h"

#include "file/hdf5_file.h"
#include "trace/hdf5_numbers.h"

#include <limits.h>
#include <string.h>

bool carom_hdf5_text_write(hid_t place, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t attribute = H5Acreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

/* What texts are made of: how many, how long, whether each is elsewhere in the file. */
typedef struct text_kind {
    size_t count, size;
    bool variable;
} text_kind;

/* False: no texts, or more than the file can hold. stored: bytes of them in the file. */
static bool examine(hid_t type, hid_t space, hsize_t stored, text_kind *kind)
{
    enum { LONGEST = 1 << 26 };
    hssize_t count = H5Sget_simple_extent_npoints(space);
    if (H5Tget_class(type) != H5T_STRING || count < 0 || count >= INT_MAX)
        return false;
    kind->count = (size_t)count;
    kind->size = H5Tget_size(type);
    kind->variable = H5Tis_variable_str(type) > 0;
    return kind->size > 0 && kind->size <= LONGEST &&
           carom_hdf5_numbers_fit((hsize_t)count, kind->size, stored);
}

/* Texts of variable length are pointers into HDF5's own memory: copy them and give that back. */
static bool copy_variable(hid_t type, hid_t space, const text_kind *kind, char **found,
                          carom_arena *arena, const char **list)
{
    bool good = true;
    for (size_t k = 0; k < kind->count && good; k++) {
        const char *text = found[k] ? found[k] : "";
        list[k] = carom_arena_text(arena, text, strlen(text));
        good = list[k] != NULL;
    }
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, found);
    return good;
}

/* Texts of fixed length lie side by side, perhaps without their ends: spread them out. */
static void spread(char *all, const text_kind *kind, const char **list)
{
    size_t size = kind->size;
    for (size_t k = kind->count; k-- > 0;) {
        memmove(all + k * (size + 1), all + k * size, size);
        all[k * (size + 1) + size] = '\0';
        list[k] = all + k * (size + 1);
    }
}

/* The texts of an attribute or a dataset; NULL: they cannot be read. */
static carom_status read_texts(hid_t place, bool attribute, hid_t type, hid_t space,
                               const text_kind *kind, carom_arena *arena, const char ***texts)
{
    const char **list = carom_arena_array(arena, kind->count, sizeof *list);
    char *all = carom_arena_zeros(arena, kind->count, kind->size + 1);
    if (!list || !all)
        return CAROM_ERROR_MEMORY;
    herr_t done = attribute ? H5Aread(place, type, all)
                            : H5Dread(place, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all);
    if (done < 0)
        return CAROM_OK;
    if (!kind->variable)
        spread(all, kind, list);
    else if (!copy_variable(type, space, kind, (char **)(void *)all, arena, list))
        return CAROM_ERROR_MEMORY;
    *texts = list;
    return CAROM_OK;
}

carom_status carom_hdf5_text_read(hid_t place, const char *name, carom_arena *arena,
                                  const char **text)
{
    *text = NULL;
    hid_t attribute = H5Aexists(place, name) > 0 ? H5Aopen(place, name, H5P_DEFAULT) : -1;
    if (attribute < 0)
        return CAROM_OK;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    text_kind kind;
    const char **list = NULL;
    carom_status status = CAROM_OK;
    if (examine(type, space, H5Aget_storage_size(attribute), &kind) && kind.count == 1)
        status = read_texts(attribute, true, type, space, &kind, arena, &list);
    if (list)
        *text = list[0];
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return status;
}

bool carom_hdf5_text_write_list(hid_t file, const char *path, int count, const char *const *texts,
                                carom_arena *arena)
{
    size_t longest = 1;
    for (int k = 0; k < count; k++)
        longest = strlen(texts[k]) + 1 > longest ? strlen(texts[k]) + 1 : longest;
    carom_mark mark = carom_arena_mark(arena);
    char *all = carom_arena_zeros(arena, (size_t)count, longest);
    if (!all)
        return false;
    for (int k = 0; k < count; k++)
        memcpy(all + (size_t)k * longest, texts[k], strlen(texts[k]));
    hsize_t size = (hsize_t)count;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &size, NULL);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, false);
    H5Tset_size(type, longest);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0;
    if (set >= 0)
        H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
    H5Tclose(type);
    carom_arena_rewind(arena, mark);
    return good;
}

carom_status carom_hdf5_text_read_list(hid_t file, const char *path, carom_arena *arena, int *count,
                                       const char *const **texts)
{
    *count = 0;
    *texts = NULL;
    hid_t set = carom_hdf5_file_set(file, path);
    if (set < 0)
        return CAROM_OK;
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    text_kind kind;
    const char **list = NULL;
    carom_status status = CAROM_OK;
    if (examine(type, space, H5Dget_storage_size(set), &kind))
        status = read_texts(set, false, type, space, &kind, arena, &list);
    if (list) {
        *count = (int)kind.count;
        *texts = list;
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return status;
}
