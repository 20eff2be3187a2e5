/* Real problems beside the project, where they exist: ../shared/data/{fc3d,fc2d,gfc3d}. */
#ifndef CAROM_TESTS_FRICTION_FILES_H
#define CAROM_TESTS_FRICTION_FILES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MOST = 400 };

typedef struct friction_files {
    int count;
    char path[FILES_MOST][1024];
} friction_files;

static inline int friction_files_compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The files, sorted; none when the folder is not there. `source`: the project's folder. */
static inline void friction_files_list(friction_files *files, const char *source)
{
    static const char *const folders[] = {"fc3d", "fc2d", "gfc3d"};
    files->count = 0;
    for (int k = 0; k < 3; k++) {
        char folder[512];
        snprintf(folder, sizeof folder, "%s/../shared/data/%s", source, folders[k]);
        DIR *d = opendir(folder);
        for (struct dirent *e; d && (e = readdir(d)) && files->count < FILES_MOST;)
            if (e->d_name[0] != '.')
                snprintf(files->path[files->count++], sizeof files->path[0], "%s/%s", folder,
                         e->d_name);
        if (d)
            closedir(d);
    }
    qsort(files->path, (size_t)files->count, sizeof files->path[0], friction_files_compare);
}

#endif
