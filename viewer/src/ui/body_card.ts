// The state of the body that was picked: where it is, how it moves, what pushes it.
import { POSE } from "../data/bodies";
import { Track } from "../data/track";
import { countUpTo } from "../data/search";
import type { Trace } from "../data/trace";
import type { Picked } from "../scene/space";
import { iconButton, make } from "./dom";
import { formatNumber } from "./format";

const POSE_NAMES = ["x", "y", "z", "qw", "qx", "qy", "qz"];
const MOST_CONTACTS = 8;

export class BodyCard {
    readonly element = make("section", { class: "body-card", "aria-label": "The picked body", hidden: true });
    private readonly rows = make("dl", {});
    private readonly title = make("h2", {});
    private picked: Picked | null = null;

    constructor(private readonly traces: readonly Trace[], dismiss: () => void) {
        this.element.append(make("header", {}, this.title, iconButton("close", "Close", dismiss)), this.rows);
    }

    show(picked: Picked | null, t: number): void {
        this.picked = picked;
        this.element.hidden = picked === null;
        if (picked) this.title.textContent = this.traces[picked.trace].bodies[picked.body].name;
        this.update(t);
    }

    update(t: number): void {
        if (!this.picked) return;
        const trace = this.traces[this.picked.trace];
        const { name } = trace.bodies[this.picked.body];
        const values = [...this.pose(trace, this.picked.body, t), ...this.velocities(trace, name, t),
                        ...this.forces(trace, name, t)];
        this.rows.replaceChildren(...values.flatMap(([what, value]) =>
            [make("dt", {}, what), make("dd", {}, formatNumber(value, 5))]));
    }

    private pose(trace: Trace, body: number, t: number): [string, number][] {
        const numbers = new Float32Array(trace.pose.columns);
        new Track([{ t: trace.t, table: trace.pose }]).sample(t, numbers);
        return POSE_NAMES.map((what, k) => [what, numbers[POSE * body + k]]);
    }

    /** Of the row before; a body that hangs on a joint has none of its own. */
    private velocities(trace: Trace, name: string, t: number): [string, number][] {
        const { names, values, columns } = trace.velocity;
        const row = Math.max(countUpTo(trace.t, t) - 1, 0);
        return names.flatMap((column, j): [string, number][] =>
            column.startsWith(`${name}.`) ? [[column.slice(name.length + 1), values[row * columns + j]]] : []);
    }

    /** Normal forces of its contacts that are closed. */
    private forces(trace: Trace, name: string, t: number): [string, number][] {
        const { names, values, columns } = trace.force;
        const row = Math.max(countUpTo(trace.t, t) - 1, 0);
        return names.flatMap((contact, j): [string, number][] => {
            const own = contact.startsWith(`${name}/`) || contact.includes(`/${name}:`);
            const force = values[row * columns + j];
            return own && force > 0 ? [[contact, force]] : [];
        }).slice(0, MOST_CONTACTS);
    }
}
