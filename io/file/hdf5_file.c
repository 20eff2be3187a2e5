/* HDF5 files: creating, opening, and what is to be said when that fails. */
#include "file/hdf5_file.h"

#include "file/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

hid_t carom_hdf5_file_create(const char *path)
{
    hid_t untimed = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_obj_track_times(untimed, false);
    errno = 0;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, untimed, H5P_DEFAULT);
    H5Pclose(untimed);
    return file;
}

/* HDF5 does not say why it cannot open a file; the system does. *begins: as an HDF5 file. */
static carom_status look_at(const char *path, bool *begins, carom_error *error)
{
    static const char signature[8] = "\211HDF\r\n\032\n";
    FILE *there = fopen(path, "rb");
    if (!there && errno == ENOMEM)
        return carom_error_memory(error);
    if (!there)
        return carom_error_set(error, CAROM_ERROR_FILE, "%s: %s", path, strerror(errno));
    char first[sizeof signature]; /* a folder opens, and does not read */
    const size_t got = fread(first, 1, sizeof first, there);
    bool readable = got > 0 || !ferror(there);
    int problem = errno;
    *begins = got == sizeof first && memcmp(first, signature, sizeof first) == 0;
    fclose(there);
    if (readable)
        return CAROM_OK;
    return carom_error_set(error, CAROM_ERROR_FILE, "%s: %s", path, strerror(problem));
}

carom_status carom_hdf5_file_read(const char *path, const char *what,
                                  carom_status (*read)(hid_t file, void *self), void *self,
                                  carom_error *error)
{
    bool begins;
    carom_status status = look_at(path, &begins, error);
    if (status)
        return status;
    hid_t file = -1;
    status = CAROM_ERROR_FILE;
    errno = 0;
    H5E_BEGIN_TRY
    {
        file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        if (file >= 0) {
            status = read(file, self);
            H5Fclose(file);
        }
    }
    H5E_END_TRY
    if (status == CAROM_ERROR_MEMORY || (status && errno == ENOMEM))
        return carom_error_memory(error);
    if (file < 0)
        return carom_error_set(error, CAROM_ERROR_FILE, "%s is %s", path,
                               begins ? "an HDF5 file that is cut off or damaged"
                                      : "not an HDF5 file");
    return status ? carom_error_set(error, CAROM_ERROR_FILE, "%s is not %s", path, what) : CAROM_OK;
}

hid_t carom_hdf5_file_set(hid_t file, const char *path)
{
    H5L_info_t link; /* neither the dataset nor its bytes may lie in another file */
    if (H5Lexists(file, path, H5P_DEFAULT) <= 0 ||
        H5Lget_info(file, path, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
        return -1;
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0)
        return -1;
    hid_t properties = H5Dget_create_plist(set);
    bool inside = properties >= 0 && H5Pget_external_count(properties) == 0 &&
                  H5Pget_layout(properties) != H5D_VIRTUAL;
    H5Pclose(properties);
    if (inside)
        return set;
    H5Dclose(set);
    return -1;
}

carom_status carom_hdf5_file_error(carom_error *error, const char *path, const char *what)
{
    if (errno)
        return carom_output_error(error, CAROM_ERROR_OUTPUT, path, what, errno);
    return carom_error_set(error, CAROM_ERROR_OUTPUT, "%s: cannot %s: HDF5 refuses", path, what);
}
