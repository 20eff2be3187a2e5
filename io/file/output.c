/* Files written aside and put in place in one step. Where the system can, the file has no name
 * until it is complete, so that a killed process leaves nothing behind. */
#define _GNU_SOURCE /* O_TMPFILE; realpath */
#include "file/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

carom_status carom_output_error(carom_error *error, carom_status status, const char *path,
                                const char *what, int problem)
{
    if (problem == ENOMEM)
        return carom_error_memory(error);
    return carom_error_set(error, status, "%s: cannot %s: %s", path, what,
                           problem ? strerror(problem) : "unknown reason");
}

static carom_status refused(carom_error *error, const char *path, int problem)
{
    if (problem == EEXIST)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "%s exists", path);
    return carom_output_error(error, CAROM_ERROR_OUTPUT, path, "write", problem);
}

/* /dev/stdout may lead to a file, but that is open already and is not to be replaced. */
static bool is_device(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

bool carom_output_is_special(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && !S_ISDIR(found.st_mode) &&
           (is_device(path) || !S_ISREG(found.st_mode));
}

/* The folder of a path: "." or all before the last slash. */
static void folder_of(const char *path, char folder[CAROM_OUTPUT_PATH])
{
    const char *slash = strrchr(path, '/');
    int length = slash == path ? 1 : slash ? (int)(slash - path) : 0;
    snprintf(folder, CAROM_OUTPUT_PATH, "%.*s", length ? length : 1, length ? path : ".");
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* What stands at a path, as far as a writer is concerned. */
typedef enum target { TARGET_NONE, TARGET_FILE, TARGET_SPECIAL, TARGET_PROBLEM } target;

/* *mode: permissions of the file that is there. On TARGET_PROBLEM errno says why. */
static target look_at(const char *path, mode_t *mode)
{
    struct stat found;
    if (!*path) {
        errno = ENOENT;
        return TARGET_PROBLEM;
    }
    if (strlen(path) + 64 > CAROM_OUTPUT_PATH) {
        errno = ENAMETOOLONG;
        return TARGET_PROBLEM;
    }
    if (stat(path, &found) != 0) {
        if (errno != ENOENT)
            return TARGET_PROBLEM;
        *mode = 0; /* a link that leads nowhere is something that would be lost */
        return lstat(path, &found) == 0 ? TARGET_FILE : TARGET_NONE;
    }
    *mode = found.st_mode & 0777;
    if (S_ISDIR(found.st_mode)) {
        errno = EISDIR;
        return TARGET_PROBLEM;
    }
    if (access(path, W_OK) != 0)
        return TARGET_PROBLEM;
    return S_ISREG(found.st_mode) && !is_device(path) ? TARGET_FILE : TARGET_SPECIAL;
}

carom_status carom_output_examine(const char *path, bool replace, carom_error *error)
{
    char folder[CAROM_OUTPUT_PATH];
    mode_t mode;
    switch (look_at(path, &mode)) {
    case TARGET_PROBLEM:
        return refused(error, path, errno);
    case TARGET_SPECIAL:
        return CAROM_OK;
    case TARGET_FILE:
        if (!replace)
            return refused(error, path, EEXIST);
        break;
    case TARGET_NONE:
        break;
    }
    folder_of(path, folder);
    return access(folder, W_OK | X_OK) == 0 ? CAROM_OK : refused(error, path, errno);
}

/* Letters that no other process is likely to choose at the same moment; O_EXCL finds out. */
static void choose_name(const char *path, int attempt, char aside[CAROM_OUTPUT_PATH])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t x = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)getpid() << 20 ^
                 (uint64_t)attempt * 0x9E3779B97F4A7C15u;
    char random[9] = {0}, folder[CAROM_OUTPUT_PATH];
    for (int k = 0; k < 8; k++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        random[k] = letters[x % 36];
    }
    folder_of(path, folder);
    size_t used = strlen(folder);
    snprintf(aside, CAROM_OUTPUT_PATH, "%s", folder);
    snprintf(aside + used, CAROM_OUTPUT_PATH - used, "/.%.200s.%s.part", name_of(path), random);
}

/* A new file under a name of its own; -1: errno says why. */
static int create_named(const char *path, mode_t mode, char aside[CAROM_OUTPUT_PATH])
{
    for (int attempt = 0; attempt < 64; attempt++) {
        choose_name(path, attempt, aside);
        int file = open(aside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file < 0 && errno == EEXIST)
            continue;
        if (file >= 0 && mode)
            (void)!fchmod(file, mode);
        return file;
    }
    return -1;
}

void carom_output_name(int file, char name[CAROM_OUTPUT_NAME])
{
    snprintf(name, CAROM_OUTPUT_NAME, "/proc/self/fd/%d", file);
}

/* A new file without a name; -1: the file system has none. */
static int create_unnamed(const char *path, mode_t mode)
{
#ifdef O_TMPFILE
    char folder[CAROM_OUTPUT_PATH], name[CAROM_OUTPUT_NAME];
    folder_of(path, folder);
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (file < 0)
        return -1;
    carom_output_name(file, name);
    if (access(name, F_OK) != 0) { /* it could not be given a name later */
        close(file);
        return -1;
    }
    if (mode)
        (void)!fchmod(file, mode);
    return file;
#else
    (void)path;
    (void)mode;
    return -1;
#endif
}

void carom_output_follow(const char *path, char real[CAROM_OUTPUT_PATH])
{
    char *found = realpath(path, NULL);
    snprintf(real, CAROM_OUTPUT_PATH, "%s", found ? found : path);
    free(found);
}

/* Open what look_at found; -1: errno says why. */
static int open_file(carom_output *o, target there, bool growing, mode_t mode)
{
    if (there == TARGET_SPECIAL || (there == TARGET_NONE && growing)) {
        o->in_place = true;
        int flags = there == TARGET_SPECIAL ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
        return open(o->path, flags | O_CLOEXEC, 0666);
    }
    int file = create_unnamed(o->path, mode);
    return file >= 0 ? file : create_named(o->path, mode, o->aside);
}

static carom_status open_output(const char *path, bool replace, bool growing, carom_output *o,
                                carom_error *error)
{
    mode_t mode = 0;
    target there = look_at(path, &mode);
    if (there == TARGET_PROBLEM)
        return refused(error, path, errno);
    if (there == TARGET_FILE && !replace)
        return refused(error, path, EEXIST);
    o->stream = NULL;
    o->replace = there == TARGET_FILE;
    o->in_place = false;
    o->aside[0] = '\0';
    if (there == TARGET_FILE)
        carom_output_follow(path, o->path);
    else
        snprintf(o->path, sizeof o->path, "%s", path);
    int file = open_file(o, there, growing, mode);
    if (file < 0)
        return refused(error, path, errno);
    o->stream = fdopen(file, "wb");
    if (!o->stream) {
        int problem = errno;
        close(file);
        if (o->aside[0])
            unlink(o->aside);
        return refused(error, path, problem);
    }
    return CAROM_OK;
}

carom_status carom_output_open(const char *path, bool replace, carom_output *output,
                               carom_error *error)
{
    return open_output(path, replace, false, output, error);
}

carom_status carom_output_open_growing(const char *path, bool replace, carom_output *output,
                                       carom_error *error)
{
    return open_output(path, replace, true, output, error);
}

/* The change of a folder survives a loss of power. Some file systems cannot, which is no error. */
static void keep_folder(const char *path)
{
    char folder[CAROM_OUTPUT_PATH];
    folder_of(path, folder);
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return;
    (void)!fsync(file);
    close(file);
}

/* A file without a name gets the path as its own. Only a rename can replace, and it needs a name.
 */
static bool name_file(carom_output *o, int file)
{
    char known[CAROM_OUTPUT_NAME];
    carom_output_name(file, known);
    if (!o->replace)
        return linkat(AT_FDCWD, known, AT_FDCWD, o->path, AT_SYMLINK_FOLLOW) == 0;
    for (int attempt = 0; attempt < 64; attempt++) {
        choose_name(o->path, attempt, o->aside);
        if (linkat(AT_FDCWD, known, AT_FDCWD, o->aside, AT_SYMLINK_FOLLOW) == 0) {
            if (rename(o->aside, o->path) == 0)
                return true;
            break;
        }
        o->aside[0] = '\0';
        if (errno != EEXIST)
            break;
    }
    return false;
}

/* A named file takes its place; without replace only where there is none. */
static bool move_file(const char *aside, const char *path, bool replace)
{
    if (replace)
        return rename(aside, path) == 0;
    if (link(aside, path) == 0)
        return unlink(aside) == 0;
    if (errno == EEXIST)
        return false;
    return rename(aside, path) == 0; /* a file system without links */
}

carom_status carom_output_finish(carom_output *o, carom_error *error)
{
    int file = fileno(o->stream);
    bool good = fflush(o->stream) == 0 && !ferror(o->stream);
    if (good && fsync(file) != 0)
        good = errno == EINVAL || errno == ENOTSUP || errno == EROFS; /* a pipe, say */
    if (good && !o->in_place)
        good = o->aside[0] ? move_file(o->aside, o->path, o->replace) : name_file(o, file);
    int problem = good ? 0 : errno;
    if (fclose(o->stream) != 0 && good) {
        good = false;
        problem = errno;
    }
    o->stream = NULL;
    if (good) {
        keep_folder(o->path);
        return CAROM_OK;
    }
    if (o->aside[0])
        unlink(o->aside);
    return refused(error, o->path, problem);
}

void carom_output_discard(carom_output *o)
{
    if (!o->stream)
        return;
    fclose(o->stream);
    o->stream = NULL;
    if (o->aside[0])
        unlink(o->aside);
}

carom_status carom_output_write(const char *path, bool replace, const void *bytes, size_t size,
                                carom_error *error)
{
    carom_output output;
    carom_status status = carom_output_open(path, replace, &output, error);
    if (status)
        return status;
    if (fwrite(bytes, 1, size, output.stream) == size)
        return carom_output_finish(&output, error);
    int problem = errno;
    carom_output_discard(&output);
    return refused(error, path, problem);
}

carom_status carom_output_reserve(const char *path, char aside[CAROM_OUTPUT_PATH],
                                  carom_error *error)
{
    mode_t mode = 0;
    target there = look_at(path, &mode);
    if (there == TARGET_PROBLEM)
        return refused(error, path, errno);
    int file = create_named(path, there == TARGET_FILE ? mode : 0, aside);
    if (file < 0)
        return refused(error, path, errno);
    close(file);
    return CAROM_OK;
}

carom_status carom_output_place(const char *aside, const char *path, bool replace,
                                carom_error *error)
{
    int file = open(aside, O_RDONLY | O_CLOEXEC);
    bool good = file >= 0 && fsync(file) == 0;
    int problem = errno;
    if (file >= 0)
        close(file);
    if (good && !(good = move_file(aside, path, replace)))
        problem = errno;
    if (!good)
        return refused(error, path, problem);
    keep_folder(path);
    return CAROM_OK;
}

/* Where a link that leads nowhere would lead; the path itself when it is no link. */
static void follow_once(const char *path, char leads_to[CAROM_OUTPUT_PATH])
{
    char found[CAROM_OUTPUT_PATH], folder[CAROM_OUTPUT_PATH];
    ssize_t length = readlink(path, found, sizeof found - 1);
    if (length < 0) {
        snprintf(leads_to, CAROM_OUTPUT_PATH, "%s", path);
        return;
    }
    found[length] = '\0';
    folder_of(path, folder);
    if (found[0] != '/' && strlen(folder) + strlen(found) + 2 > CAROM_OUTPUT_PATH)
        found[0] = '\0'; /* no system opens it */
    size_t used = found[0] == '/' ? 0 : strlen(folder);
    memcpy(leads_to, folder, used);
    if (used)
        leads_to[used++] = '/';
    memcpy(leads_to + used, found, strlen(found) + 1);
}

bool carom_output_same(const char *a, const char *b)
{
    struct stat x, y;
    bool a_there = stat(a, &x) == 0, b_there = stat(b, &y) == 0;
    if (a_there && b_there)
        return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    if (a_there || b_there)
        return false;
    char first[CAROM_OUTPUT_PATH], second[CAROM_OUTPUT_PATH], folder[CAROM_OUTPUT_PATH];
    follow_once(a, first);
    follow_once(b, second);
    if (strcmp(name_of(first), name_of(second)) != 0)
        return false;
    folder_of(first, folder);
    a_there = stat(folder, &x) == 0;
    folder_of(second, folder);
    b_there = stat(folder, &y) == 0;
    return a_there && b_there ? x.st_dev == y.st_dev && x.st_ino == y.st_ino
                              : strcmp(first, second) == 0;
}
