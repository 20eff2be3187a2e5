// Contacts whose place the scene tells, or the drawing: arrows of impulses and forces where they act, with
// the cone in which friction keeps them.
import { impulsesOf } from "../data/impulses";
import { countUpTo } from "../data/search";
import { Track } from "../data/track";
import type { ContactInfo, Table, Trace } from "../data/trace";
import { DASH, type Brush, type Rgba } from "./brush";
import { drawArrow } from "./arrow";
import { fade } from "./colors";
import { FoundContacts } from "./found_contacts";
import type { Arrow } from "./kicks";
import type { Point } from "./outline";

const LONGEST = 78; // pixels, of the largest force
const CONE = 46; // pixels, sides of a friction cone
const SMALL = 1e-3; // of the largest force: none

function unit(x: number, y: number): Point | null {
    const length = Math.hypot(x, y);
    return length > 0 ? { x: x / length, y: y / length } : null;
}

export class ContactMarks {
    readonly known: boolean; // some contact has a place
    private readonly track: Track;
    private readonly numbers: Float32Array;
    private readonly found: FoundContacts;
    private readonly drawn: Track; // numbers of the shapes, for contacts that are found there
    private readonly shapes: Float32Array;
    private readonly largestForce: number;
    private readonly largestImpulse: number;

    constructor(private readonly trace: Trace) {
        const { impacts, instants } = trace;
        this.found = new FoundContacts(trace);
        this.known = trace.contacts.some(({ at }) => at !== null) || this.found.any;
        this.drawn = new Track([{ t: instants.t, table: instants.drawBefore }, { t: instants.t, table: instants.draw },
                                { t: impacts.t, table: impacts.draw }, { t: trace.t, table: trace.draw }]);
        this.shapes = new Float32Array(trace.draw.columns);
        this.track = new Track([{ t: trace.impacts.t, table: trace.impacts.at }, { t: trace.t, table: trace.at }]);
        this.numbers = new Float32Array(trace.at.columns);
        const largest = ({ values }: Table): number =>
            values.reduce((most, value) => (Math.abs(value) > most ? Math.abs(value) : most), 0);
        this.largestForce = largest(trace.force);
        this.largestImpulse = largest(trace.impacts.impulse);
    }

    private placeOf({ at, toward }: ContactInfo, n: ArrayLike<number>, from: number):
            { at: Point; toward: Point | null } | null {
        if (!at) return null;
        const place = { x: n[from + at.start], y: n[from + at.start + 1] };
        if (!Number.isFinite(place.x + place.y)) return null;
        return { at: place,
                 toward: toward ? unit(n[from + toward.start], n[from + toward.start + 1]) : null };
    }

    /** Do all contacts that were struck say where they are? */
    knows(impact: number): boolean {
        return impulsesOf(this.trace, impact).every(({ contact }) =>
            this.trace.contacts[contact]?.at || this.found.has(contact));
    }

    arrowsOf(impact: number): Arrow[] {
        const { at: { values, columns, rows }, draw } = this.trace.impacts;
        if (impact >= rows) return [];
        const shapes = draw.values.subarray(impact * draw.columns, (impact + 1) * draw.columns);
        return impulsesOf(this.trace, impact).flatMap(({ contact, value }): Arrow[] => {
            const info = this.trace.contacts[contact];
            const place = info && (this.placeOf(info, values, impact * columns) ?? this.found.place(contact, shapes));
            if (!place) return [];
            return [{ at: place.at, direction: place.toward,
                      size: this.largestImpulse > 0 ? Math.abs(value) / this.largestImpulse : 0 }];
        });
    }

    /** Forces in persistent contact, as they were at the row before t. */
    drawForces(brush: Brush, t: number, color: Rgba, pixel: number, cones: boolean): void {
        const { force, contacts } = this.trace;
        if (!this.known || !(this.largestForce > 0)) return;
        this.track.sample(t, this.numbers);
        if (this.found.any) this.drawn.sample(t, this.shapes);
        const row = Math.max(countUpTo(this.trace.t, t) - 1, 0);
        contacts.forEach((info, j) => {
            const size = Math.abs(force.values[row * force.columns + j]) / this.largestForce;
            const place = size > SMALL
                ? this.placeOf(info, this.numbers, 0) ?? this.found.place(j, this.shapes) : null;
            if (!place?.toward) return;
            if (cones && info.friction > 0 && Number.isFinite(info.friction))
                this.drawCone(brush, place.at, place.toward, info.friction, color, pixel);
            drawArrow(brush, place.at, place.toward, (12 + LONGEST * Math.sqrt(size)) * pixel, 9 * pixel,
                      2.5, color);
        });
    }

    private drawCone(brush: Brush, at: Point, toward: Point, friction: number, color: Rgba,
                     pixel: number): void {
        for (const side of [1, -1]) {
            const x = toward.x - side * friction * toward.y;
            const y = toward.y + side * friction * toward.x;
            const edge = unit(x, y)!;
            brush.stroke(at.x, at.y, at.x + edge.x * CONE * pixel, at.y + edge.y * CONE * pixel, 1,
                         fade(color, 0.7), DASH);
        }
    }
}
