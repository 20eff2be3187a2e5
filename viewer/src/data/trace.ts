// A trace in memory, checked: the data format is that of docs/guide/traces.md.
import { DataError, decodeDoubles, decodeFloats } from "./base64";
import { readBodies, type Body } from "./bodies";
import { withoutNoise } from "./noise";
import { withoutStruckForces } from "./struck";

/** One kind of number along the motion: rows x columns, row after row. */
export interface Table {
    readonly rows: number;
    readonly columns: number;
    readonly names: readonly string[];
    readonly units: readonly number[]; // equal numbers: measured alike; 0: no unit; -1: not known
    readonly values: Float32Array;
}

export type ShapeKind = "circle" | "box" | "line" | "point" | "spring" | "text";

/** What to draw: `count` numbers of the draw table, from column `start`. */
export interface Shape {
    readonly kind: ShapeKind;
    readonly start: number;
    readonly count: number;
    readonly label: string | null;
    readonly color: string | null;
    readonly filled: boolean;
    readonly width: number; // of its lines, in pixels; 0: the usual
    readonly dashed: boolean;
    readonly body: number; // whose it is, from 1; 0: of none that has a name
    readonly closed: boolean; // a line around a convex body
    readonly free: boolean; // can move: no ground, also at rest
}

/** What is known of a contact: where it is, as numbers of the table `at`. */
export interface ContactInfo {
    readonly name: string;
    readonly friction: number;
    readonly at: Span | null;
    readonly toward: Span | null; // the direction in which it pushes
}

/** `count` columns from `start` on. */
export interface Span {
    readonly start: number;
    readonly count: number;
}

/** Which coordinates move each shape, and change each contact's gap. */
export interface Coordinates {
    readonly shapes: readonly (readonly number[])[];
    readonly contacts: readonly (readonly number[])[];
}

/** Impacts that pile up before an instant. */
export interface Accumulation {
    readonly contact: string;
    readonly first: number;
    readonly limit: number;
    readonly impacts: number;
}

/** A contact changes what it does; numbers of modes as in the rows. */
export interface ModeChange {
    readonly t: number;
    readonly contact: number;
    readonly from: number;
    readonly to: number;
}

export interface Impacts {
    readonly count: number;
    readonly detailed: number; // the first so many have rows in the tables
    readonly t: Float64Array;
    readonly energyChange: Float64Array;
    readonly position: Table;
    readonly before: Table;
    readonly after: Table;
    readonly impulse: Table; // a column per contact, NaN: not involved
    readonly draw: Table; // as Trace.draw, at the impact
    readonly kick: Table; // the jump of the rates of those numbers
    readonly at: Table; // as Trace.at, at the impact
    readonly pose: Table | null; // as Trace.pose, at the impact; null: not told
}

/** Events of the system that happened: both sides of each. */
export interface Instants {
    readonly count: number;
    readonly names: readonly string[]; // of the events
    readonly t: Float64Array;
    readonly event: Float64Array; // numbers in names
    readonly positionBefore: Table;
    readonly before: Table;
    readonly position: Table;
    readonly after: Table;
    readonly drawBefore: Table;
    readonly draw: Table;
}

export interface Trace {
    readonly file: string;
    readonly title: string;
    readonly law: string;
    readonly method: string;
    readonly rows: number;
    readonly originalRows: number;
    readonly originalImpacts: number;
    readonly t: Float64Array;
    readonly position: Table;
    readonly velocity: Table;
    readonly gap: Table;
    readonly force: Table;
    readonly friction: Table;
    readonly mode: Table;
    readonly energy: Table;
    readonly draw: Table;
    readonly shapes: readonly Shape[];
    readonly bodies: readonly Body[]; // with shapes in space; none: the scene has no bodies
    readonly pose: Table; // where they are
    readonly at: Table; // places and directions of contacts
    readonly contacts: readonly ContactInfo[];
    readonly coordinates: Coordinates | null; // null: not told
    readonly impacts: Impacts;
    readonly instants: Instants;
    readonly accumulations: readonly Accumulation[];
    readonly changes: readonly ModeChange[] | null; // null: the file does not tell
    readonly end: string; // "" where the file does not say, "reached", or why it ended early
    readonly message: string;
    readonly scene: string; // text of the scene's file
    readonly sets: readonly string[]; // overrides, "name=value"
    readonly parameters: readonly (readonly [string, number])[];
    readonly program: string;
    readonly period: number; // of the scene's excitation, 0: none
}

type Json = Record<string, unknown>;

function object(value: unknown, what: string): Json {
    if (typeof value !== "object" || value === null || Array.isArray(value))
        throw new DataError(`${what} is missing`);
    return value as Json;
}

function count(value: unknown, what: string): number {
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0)
        throw new DataError(`${what} is not a count`);
    return value;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function readTable(value: unknown, rows: number, what: string, told: unknown = undefined): Table {
    if (value === undefined) return { rows, columns: 0, names: [], units: [], values: new Float32Array(0) };
    const json = object(value, what);
    const columns = count(json.columns, `${what}: columns`);
    const given = Array.isArray(json.names) ? json.names : [];
    const names = Array.from({ length: columns }, (_, k) => text(given[k]) || String(k + 1));
    const known = list(told);
    const units = names.map((_, k) => (known.length === columns ? (known[k] as number) : -1));
    return { rows, columns, names, units, values: decodeFloats(json.data, rows * columns, what) };
}

const LEAST: Record<ShapeKind, number> =
    { circle: 4, box: 5, line: 4, point: 2, spring: 4, text: 2 };

function readShapes(value: unknown, columns: number): Shape[] {
    if (!Array.isArray(value)) return [];
    let start = 0;
    const shapes = value.map((item, k): Shape => {
        const json = object(item, `shape ${k + 1}`);
        const kind = json.kind as ShapeKind;
        const numbers = count(json.count, `shape ${k + 1}: count`);
        if (!(kind in LEAST) || numbers < LEAST[kind])
            throw new DataError(`shape ${k + 1} is of an unknown kind: ${String(json.kind)}`);
        start += numbers;
        return {
            kind,
            start: start - numbers,
            count: numbers,
            label: text(json.label) || null,
            color: text(json.color) || null,
            filled: json.fill !== "none",
            width: typeof json.width === "number" && json.width > 0 ? json.width : 0,
            dashed: json.dash === true,
            body: typeof json.body === "number" ? json.body : 0,
            closed: json.closed === true,
            free: json.free === true,
        };
    });
    if (start !== columns)
        throw new DataError(`the shapes have ${start} numbers, the rows ${columns}`);
    return shapes;
}

/** Times are finite and do not go back. */
function readTimes(value: unknown, n: number, what: string): Float64Array {
    const t = decodeDoubles(value, n, what);
    for (let k = 0; k < n; k++)
        if (!Number.isFinite(t[k]) || (k > 0 && t[k] < t[k - 1]))
            throw new DataError(`${what} does not increase at row ${k + 1}`);
    return t;
}

function readImpacts(value: unknown): Impacts {
    const json = object(value, "impacts");
    const n = count(json.count, "impacts: count");
    const detailed = count(json.detailed, "impacts: detailed");
    if (detailed > n) throw new DataError(`impacts: ${detailed} of ${n} are detailed`);
    const table = (key: string): Table => readTable(json[key], detailed, `impacts: ${key}`);
    return {
        count: n,
        detailed,
        t: readTimes(json.t, n, "impacts: t"),
        energyChange: decodeDoubles(json.energy_change, n, "impacts: energy_change"),
        position: table("position"),
        before: table("before"),
        after: table("after"),
        impulse: table("impulse"),
        draw: table("draw"),
        kick: table("kick"),
        at: table("at"),
        pose: json.pose === undefined ? null : table("pose"),
    };
}

function readInstants(value: unknown): Instants {
    const json = value === undefined ? {} : object(value, "instants");
    const n = value === undefined ? 0 : count(json.count, "instants: count");
    const table = (key: string): Table => readTable(json[key], n, `instants: ${key}`);
    return {
        count: n,
        names: list(json.names).map(text),
        t: n ? readTimes(json.t, n, "instants: t") : new Float64Array(0),
        event: n ? decodeDoubles(json.event, n, "instants: event") : new Float64Array(0),
        positionBefore: table("position_before"),
        before: table("before"),
        position: table("position"),
        after: table("after"),
        drawBefore: table("draw_before"),
        draw: table("draw"),
    };
}

/** Kinetic and potential energy together: what an eye looks for first. */
function withTotal(energy: Table): Table {
    const parts = ["kinetic", "potential"].map((name) => energy.names.indexOf(name));
    if (parts.some((j) => j < 0)) return energy;
    const columns = energy.columns + 1;
    const values = new Float32Array(energy.rows * columns);
    for (let k = 0; k < energy.rows; k++) {
        const row = energy.values.subarray(k * energy.columns, (k + 1) * energy.columns);
        values.set(row, k * columns);
        values[(k + 1) * columns - 1] = row[parts[0]] + row[parts[1]];
    }
    return { rows: energy.rows, columns, names: [...energy.names, "total"], units: Array(columns).fill(1), values };
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const number = (value: unknown): number => (typeof value === "number" ? value : NaN);

function readContacts(value: unknown, names: readonly string[], columns: number): ContactInfo[] {
    let start = 0;
    const take = (n: unknown): Span | null => {
        const numbers = number(n) || 0;
        start += numbers;
        return numbers ? { start: start - numbers, count: numbers } : null;
    };
    const told = list(value);
    if (!told.length) return names.map((name) => ({ name, friction: 0, at: null, toward: null }));
    const contacts = told.map((item, k): ContactInfo => {
        const json = object(item, `contact ${k + 1}`);
        return { name: text(json.name) || names[k] || String(k + 1), friction: number(json.friction) || 0,
                 at: take(json.at), toward: take(json.toward) };
    });
    if (start !== columns)
        throw new DataError(`the contacts have ${start} numbers, the rows ${columns}`);
    return contacts;
}

function readCoordinates(value: unknown, shapes: number, contacts: number): Coordinates | null {
    if (value === undefined) return null;
    const json = object(value, "coordinates");
    const lists = (all: unknown): number[][] => list(all).map((one) => list(one).map(number));
    const told = { shapes: lists(json.shapes), contacts: lists(json.contacts) };
    return told.shapes.length === shapes && told.contacts.length === contacts ? told : null;
}

function readAccumulations(value: unknown): Accumulation[] {
    return list(value).map((item) => {
        const json = object(item, "an accumulation");
        return { contact: text(json.contact), first: number(json.t_first), limit: number(json.t_limit),
                 impacts: number(json.impacts) };
    }).filter(({ first, limit }) => Number.isFinite(first + limit));
}

function readChanges(value: unknown): ModeChange[] {
    return list(value).map((item) => {
        const json = object(item, "a change");
        return { t: number(json.t), contact: number(json.contact), from: number(json.from), to: number(json.to) };
    }).filter(({ t, contact }) => Number.isFinite(t + contact));
}

function readParameters(value: unknown): (readonly [string, number])[] {
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).map(([name, own]) => [name, number(own)] as const);
}

function readTrace(value: unknown): Trace {
    const json = object(value, "a trace");
    const rows = count(json.rows, "rows");
    if (rows === 0) throw new DataError("the trace holds no rows");
    const units = json.units === undefined ? {} : object(json.units, "units");
    const table = (key: string, told: string = key): Table => readTable(json[key], rows, key, units[told]);
    const draw = table("draw");
    const gap = table("gap");
    const at = table("at");
    const pose = table("pose");
    const shapes = readShapes(json.shapes, draw.columns);
    const contacts = readContacts(json.contacts, gap.names, at.columns);
    return {
        file: text(json.file),
        title: text(json.title),
        law: text(json.law),
        method: text(json.method),
        rows,
        originalRows: count(json.original_rows, "original_rows"),
        originalImpacts: count(json.original_impacts, "original_impacts"),
        t: readTimes(json.t, rows, "t"),
        position: table("position"),
        velocity: table("velocity"),
        gap,
        force: table("force", "gap"),
        friction: table("friction"),
        mode: table("mode"),
        energy: withTotal(table("energy")),
        draw,
        shapes,
        bodies: readBodies(json.bodies, pose.columns),
        pose,
        at,
        contacts,
        coordinates: readCoordinates(json.coordinates, shapes.length, contacts.length),
        impacts: readImpacts(json.impacts),
        instants: readInstants(json.instants),
        accumulations: readAccumulations(json.accumulations),
        changes: Array.isArray(json.changes) ? readChanges(json.changes) : null,
        end: text(json.end),
        message: text(json.message),
        scene: text(json.scene),
        sets: list(json.set).map(text),
        parameters: readParameters(json.parameters),
        program: text(json.program),
        period: number(json.period) || 0,
    };
}

/** The traces of the page. Throws a DataError that says what is wrong. */
export function readTraces(source: string): Trace[] {
    let json: unknown;
    try {
        json = JSON.parse(source);
    } catch {
        throw new DataError("The data in this page are cut off or damaged (not valid JSON).");
    }
    if (json === null) throw new DataError("There is no trace in this page.");
    const list = object(json, "the list of traces").traces;
    if (!Array.isArray(list) || list.length === 0)
        throw new DataError("There is no trace in this page.");
    return list.map((item, k) => {
        try {
            return withoutStruckForces(withoutNoise(readTrace(item)));
        } catch (problem) {
            if (!(problem instanceof DataError)) throw problem;
            const name = text((item as Json | null)?.file) || `trace ${k + 1}`;
            throw new DataError(`${name}: ${problem.message}.`);
        }
    });
}
