/* The last section of a report: parameters, overrides and the text of the scene. */
#include "pictures/report_scene.h"

static void plain(carom_page *page, const char *text)
{
    carom_page_raw(page, "%s", text);
}

static void write_parameters(carom_page *page, const carom_report_scene *scene)
{
    enum { MOST = 200 };
    carom_page_table(page, "Parameters");
    plain(page,
          "<thead><tr><th scope=\"col\">parameter</th><th scope=\"col\" class=\"n\">value</th>"
          "</tr></thead>\n<tbody>\n");
    for (int k = 0; k < scene->parameter_count && k < MOST; k++) {
        plain(page, "<tr><th scope=\"row\">");
        carom_page_name(page, scene->parameters[k].name);
        plain(page, "</th>");
        carom_page_cell(page, scene->parameters[k].value, 0, 12);
        plain(page, "</tr>\n");
    }
    plain(page, "</tbody>\n");
    carom_page_table_end(page);
    if (scene->parameter_count > MOST)
        carom_page_raw(page, "<p class=\"soft\">and %d more.</p>\n", scene->parameter_count - MOST);
}

void carom_report_scene_write(carom_page *page, const carom_report_scene *scene)
{
    if (!scene->text && !scene->parameter_count)
        return;
    carom_page_section(page, "scene", "The scene");
    for (int k = 0; k < scene->set_count; k++) {
        plain(page, k ? ", <code>" : "<p>Set on the command line: <code>");
        carom_page_text(page, scene->sets[k]);
        plain(page, "</code>");
    }
    plain(page, scene->set_count ? ".</p>\n" : "");
    if (scene->parameter_count)
        write_parameters(page, scene);
    if (scene->text) {
        plain(page, "<pre tabindex=\"0\" aria-label=\"Text of the scene\">");
        carom_page_text(page, scene->text);
        plain(page, "</pre>\n");
    }
    carom_page_section_end(page);
}
