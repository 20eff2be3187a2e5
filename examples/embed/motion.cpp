// A bouncing ball from a scene in memory, watched as it moves and stopped from outside after its
// third impact; h = 1, e = 1/2: impacts at t1, t1 (1 + 2 e), t1 (1 + 2 e + 2 e^2), t1 = sqrt(2 h/g).
#include <carom/io.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

// Handles are given back by the compiler.
using scene_handle = std::unique_ptr<carom_scene, decltype(&carom_scene_destroy)>;
using arena_handle = std::unique_ptr<carom_arena, decltype(&carom_arena_destroy)>;

const std::string text = R"(
carom: 1
system:
  coordinates: [q]
  kinetic: q'^2/2
  potential: 9.81*q
  contacts: {floor: {gap: q, restitution: 0.5}}
initial: {q: 1}
run: {until: 10}
)";

struct watcher {
    std::vector<double> times;
};

carom_status on_impact(void *self, const carom_flow_impact *impact, carom_error *)
{
    auto *w = static_cast<watcher *>(self);
    w->times.push_back(impact->t);
    return w->times.size() < 3 ? CAROM_OK : CAROM_STOPPED; // the run ends in good order
}

} // namespace

int main()
{
    carom_error error = {};
    carom_scene *read = nullptr;
    carom_arena *made = nullptr;
    if (carom_scene_read_text(text.data(), text.size(), nullptr, &read, &error)) {
        std::fprintf(stderr, "scene:%d:%d: %s\n", error.line, error.column, error.text);
        return 1;
    }
    scene_handle scene(read, carom_scene_destroy);
    if (carom_arena_create(nullptr, &made, &error))
        return 1;
    arena_handle arena(made, carom_arena_destroy);

    const carom_scene_content *content = carom_scene_get(scene.get());
    watcher w;
    carom_flow_observer observer = {};
    observer.self = &w;
    observer.impact = on_impact;
    carom_flow_result result = {};
    carom_status status = carom_flow_run(content->system, nullptr, &content->initial, content->run,
                                         &observer, arena.get(), &result, &error);
    if (status < 0) {
        std::fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const double t1 = std::sqrt(2 / 9.81), expected[] = {t1, 2 * t1, 2.5 * t1};
    bool right = result.end == CAROM_FLOW_STOPPED && w.times.size() == 3;
    for (std::size_t k = 0; right && k < 3; k++) {
        std::printf("impact at t = %.9g\n", w.times[k]);
        right = std::fabs(w.times[k] - expected[k]) < 1e-9;
    }
    return right ? 0 : 2;
}
