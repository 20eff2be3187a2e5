/* A tool of the build: turn a file into a C array.  embed INPUT OUTPUT NAME */
#include <stdio.h>

int main(int argc, char **argv)
{
    FILE *in = argc == 4 ? fopen(argv[1], "rb") : NULL;
    FILE *out = in ? fopen(argv[2], "w") : NULL;
    if (!out)
        return 1;
    fprintf(out,
            "#include <stddef.h>\n\nextern const unsigned char %s[];\nextern const size_t "
            "%s_size;\n\nconst unsigned char %s[] = {",
            argv[3], argv[3], argv[3]);
    size_t size = 0;
    for (int byte = getc(in); byte != EOF; byte = getc(in), size++)
        fprintf(out, size % 24 ? "%d," : "\n%d,", byte);
    fprintf(out, "\n0};\nconst size_t %s_size = %zu;\n", argv[3], size);
    fclose(in);
    return fclose(out) != 0;
}
