/* A tool of the build: turn scene files into a C table of names and texts.
 * embed_scenes OUTPUT SCENE.yaml... */
#include <stdio.h>
#include <string.h>

static int write_scene(FILE *out, const char *path, int k)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return 1;
    fprintf(out, "static const unsigned char text_%d[] = {", k);
    int size = 0;
    for (int byte = getc(in); byte != EOF; byte = getc(in))
        fprintf(out, size++ % 24 ? "%d," : "\n%d,", byte);
    fprintf(out, "\n0};\n");
    return fclose(in) != 0;
}

int main(int argc, char **argv)
{
    FILE *out = argc > 2 ? fopen(argv[1], "w") : NULL;
    if (!out)
        return 1;
    fprintf(out, "#include \"bundled.h\"\n\n#include <stddef.h>\n\n");
    for (int k = 2; k < argc; k++)
        if (write_scene(out, argv[k], k))
            return 1;
    fprintf(out, "\nconst cli_bundled cli_bundled_scenes[] = {\n");
    for (int k = 2; k < argc; k++) {
        const char *slash = strrchr(argv[k], '/'), *name = slash ? slash + 1 : argv[k];
        fprintf(out, "    {\"%.*s\", (const char *)text_%d},\n", (int)strcspn(name, "."), name, k);
    }
    fprintf(out, "    {NULL, NULL},\n};\n");
    return fclose(out) != 0;
}
