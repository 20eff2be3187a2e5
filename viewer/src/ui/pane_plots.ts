// Plots of coordinates, velocities, gaps and forces.
import type { Context, Pane } from "./context";
import { make } from "./dom";
import { Quantities } from "./quantities";

export class PlotsPane implements Pane {
    readonly title = "Plots";
    readonly element = make("div");
    private readonly sections: Quantities[];

    constructor(context: Context) {
        const trace = context.traces[0];
        const plain = trace.position.names.filter((name) => !/^q[wxyz]/.test(name));
        this.sections = [
            new Quantities(context, "Coordinates", "position", plain.slice(0, 3)),
            new Quantities(context, "Velocities", "velocity", trace.velocity.names.slice(0, 3)),
            new Quantities(context, "Gaps", "gap", []),
            new Quantities(context, "Normal forces", "force", []),
            new Quantities(context, "Friction forces", "friction", []),
        ].filter((section) => !section.empty);
        this.element.append(...this.sections.map((section) => section.element));
    }

    rebuild(): void {
        for (const section of this.sections) section.rebuild();
    }

    update(t: number): void {
        for (const section of this.sections) section.update(t);
    }
}
