#include "trace/hdf5_text.h"

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

const char *carom_hdf5_text_read(hid_t place, const char *name, carom_arena *arena)
{
    if (H5Aexists(place, name) <= 0)
        return NULL;
    hid_t attribute = H5Aopen(place, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    size_t size = H5Tget_size(type);
    char *text = carom_arena_zeros(arena, size + 1, 1);
    if (text && H5Aread(attribute, type, text) < 0)
        text = NULL;
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
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

const char *const *carom_hdf5_text_read_list(hid_t file, const char *path, int *count,
                                             carom_arena *arena)
{
    if (H5Lexists(file, path, H5P_DEFAULT) <= 0)
        return NULL;
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT), type = H5Dget_type(set),
          space = H5Dget_space(set);
    size_t size = H5Tget_size(type);
    hssize_t found = H5Sget_simple_extent_npoints(space);
    bool good = found >= 0 && found < INT_MAX && size < 1 << 24 &&
                H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    size_t texts = good ? (size_t)found : 0;
    const char **list = carom_arena_array(arena, texts, sizeof *list);
    char *all = carom_arena_zeros(arena, texts, size + 1);
    good = good && list && all && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0;
    for (size_t k = texts; good && k-- > 0;) { /* spread out, each with its end */
        memmove(all + k * (size + 1), all + k * size, size);
        all[k * (size + 1) + size] = '\0';
        list[k] = all + k * (size + 1);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    *count = (int)texts;
    return good ? list : NULL;
}
