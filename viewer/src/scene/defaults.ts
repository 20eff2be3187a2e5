// Something to look at when a scene says nothing under `draw`: points in the plane for
// coordinates called x and y, otherwise every coordinate as a bead on a rail of its own.
import type { Shape, ShapeKind, Table, Trace } from "../data/trace";

/** A number of a shape: a constant, or a constant plus a coordinate. */
type Source = readonly [constant: number, coordinate: number];

interface Sketch {
    kind: ShapeKind;
    label: string | null;
    sources: Source[];
}

const NONE = -1;
const MOST_RAILS = 60;
const ANGLES = ["th", "theta", "ph", "phi", "psi", "a"];

const fixed = (x: number): Source => [x, NONE];
const follows = (coordinate: number, offset = 0): Source => [offset, coordinate];

function range(table: Table, columns: readonly number[]): [number, number] {
    let low = Infinity;
    let high = -Infinity;
    for (let k = 0; k < table.rows; k++)
        for (const j of columns) {
            const value = table.values[k * table.columns + j];
            if (value < low) low = value;
            if (value > high) high = value;
        }
    return low <= high ? [low, high] : [0, 0];
}

function bodies(position: Table): Sketch[] {
    const { names } = position;
    const all = names.map((_, k) => k);
    const [low, high] = range(position, all);
    const size = Math.max(high - low, 1e-3) * 0.04;
    return all.flatMap((x): Sketch[] => {
        const suffix = /^x(.*)$/.exec(names[x])?.[1];
        const y = suffix === undefined ? NONE : names.indexOf(`y${suffix}`);
        if (suffix === undefined || y < 0) return [];
        const angle = ANGLES.map((name) => names.indexOf(name + suffix)).find((k) => k >= 0);
        const label = suffix || null;
        return angle === undefined
            ? [{ kind: "point", label, sources: [follows(x), follows(y)] }]
            : [{
                kind: "circle",
                label,
                sources: [follows(x), follows(y), fixed(size), follows(angle)],
            }];
    });
}

function rails(position: Table): Sketch[] {
    const shown = position.names.slice(0, MOST_RAILS).map((_, k) => k);
    const [low, high] = range(position, shown);
    const width = high > low ? high - low : 1;
    const apart = Math.min(width * 0.2, (width * 0.8) / Math.max(shown.length - 1, 1));
    return shown.flatMap((k): Sketch[] => {
        const y = -apart * k;
        return [
            { kind: "line", label: null,
              sources: [low - 0.05 * width, y, high + 0.05 * width, y].map(fixed) },
            { kind: "point", label: position.names[k], sources: [follows(k), fixed(y)] },
        ];
    });
}

function fill(table: Table, sources: readonly Source[], jump: boolean): Table {
    const columns = sources.length;
    const values = new Float32Array(table.rows * columns);
    for (let k = 0; k < table.rows; k++)
        sources.forEach(([constant, coordinate], j) => {
            const moving = coordinate === NONE ? 0 : table.values[k * table.columns + coordinate];
            values[k * columns + j] = (jump ? 0 : constant) + moving;
        });
    return { rows: table.rows, columns, names: [], units: [], values };
}

function difference(after: Table, before: Table): Table {
    return { ...after, values: after.values.map((value, k) => value - before.values[k]) };
}

/** The trace itself, or with shapes where it has none. */
export function withDefaultShapes(trace: Trace): Trace {
    if (trace.shapes.length || trace.position.columns === 0) return trace;
    const planar = bodies(trace.position);
    const sketches = planar.length ? planar : rails(trace.position);
    const sources = sketches.flatMap((sketch) => sketch.sources);
    let start = 0;
    const shapes = sketches.map(({ kind, label, sources: own }): Shape => {
        start += own.length;
        return { kind, label, color: null, start: start - own.length, count: own.length,
                 filled: true, width: 0, dashed: false, body: 0, closed: false, free: kind !== "line" };
    });
    const { impacts } = trace;
    const plain = impacts.after.columns === trace.position.columns;
    const none: Table = { rows: impacts.detailed, columns: 0, names: [], units: [], values: new Float32Array(0) };
    return {
        ...trace,
        shapes,
        draw: fill(trace.position, sources, false),
        impacts: {
            ...impacts,
            draw: impacts.position.columns === trace.position.columns
                ? fill(impacts.position, sources, false) : none,
            kick: plain ? fill(difference(impacts.after, impacts.before), sources, true) : none,
        },
    };
}
