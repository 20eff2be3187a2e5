/* Datasets of numbers, whole, in HDF5. */
#include "trace/hdf5_numbers.h"

#include "file/hdf5_file.h"

#include <limits.h>

bool carom_hdf5_numbers_write(hid_t file, const char *path, int rank, const hsize_t *size,
                              hid_t stored, hid_t type, const void *values)
{
    hid_t space = H5Screate_simple(rank, size, NULL), properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, false);
    hid_t set = H5Dcreate2(file, path, stored, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    bool good = set >= 0;
    if (good && size[0] > 0)
        good = H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (set >= 0)
        H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
    return good;
}

bool carom_hdf5_numbers_fit(hsize_t count, size_t item, hsize_t stored)
{
    /* Deflate packs a run of equal bytes at most 1032 : 1; small things may be implied. */
    enum { MOST_PACKED = 1032, SMALL = 1 << 20 };
    if (count > SIZE_MAX / item)
        return false;
    return count * item <= SMALL || count * item / MOST_PACKED <= stored;
}

/* Rows and columns of a dataset; false: it has another shape, or one that no file holds. */
static bool measure(hid_t set, hid_t space, size_t item, hsize_t size[2])
{
    hsize_t found[2] = {0, 1};
    int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1 || rank > 2 || H5Sget_simple_extent_dims(space, found, NULL) != rank)
        return false;
    if (found[0] >= LONG_MAX || found[1] >= INT_MAX ||
        (found[1] > 0 && found[0] > SIZE_MAX / found[1]))
        return false;
    size[0] = found[0];
    size[1] = found[1];
    return carom_hdf5_numbers_fit(found[0] * found[1], item, H5Dget_storage_size(set));
}

carom_status carom_hdf5_numbers_read(hid_t file, const char *path, hid_t type, carom_arena *arena,
                                     hsize_t size[2], void **values)
{
    hid_t set = carom_hdf5_file_set(file, path);
    if (set < 0)
        return CAROM_ERROR_FILE;
    hid_t space = H5Dget_space(set), stored = H5Dget_type(set);
    H5T_class_t class = H5Tget_class(stored);
    carom_status status = CAROM_ERROR_FILE;
    if ((class == H5T_FLOAT || class == H5T_INTEGER) &&
        measure(set, space, H5Tget_size(type), size)) {
        size_t count = (size_t)(size[0] * size[1]);
        *values = carom_arena_array(arena, count, H5Tget_size(type));
        if (!*values)
            status = CAROM_ERROR_MEMORY;
        else if (count == 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >= 0)
            status = CAROM_OK;
    }
    H5Tclose(stored);
    H5Sclose(space);
    H5Dclose(set);
    return status;
}
