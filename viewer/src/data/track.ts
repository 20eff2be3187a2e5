// Numbers at any time: rows, impacts and events in one order, linear in between. Impacts belong to it
// because between two rows a motion may turn round there; at an event it may jump.
import { countUpTo } from "./search";
import type { Table } from "./trace";

/** Rows of a table with their times. */
export interface Stream {
    readonly t: ArrayLike<number>;
    readonly table: Table;
}

export class Track {
    readonly columns: number;
    private readonly t: Float64Array;
    private readonly source: Uint8Array; // number of the stream
    private readonly index: Int32Array; // row in its table

    /** Streams in the order they count at one instant: what is before first, rows last. */
    constructor(streams: readonly Stream[]) {
        const rows = streams[streams.length - 1].table;
        this.columns = rows.columns;
        const used = streams.map(({ table }) => (table.columns === rows.columns ? table : null));
        const size = used.reduce((sum, table) => sum + (table?.rows ?? 0), 0);
        this.t = new Float64Array(size);
        this.source = new Uint8Array(size);
        this.index = new Int32Array(size);
        this.tables = streams.map(({ table }) => table);
        const next = streams.map(() => 0);
        for (let to = 0; to < size; to++) {
            let best = -1;
            let now = Infinity;
            used.forEach((table, k) => {
                if (table && next[k] < table.rows && streams[k].t[next[k]] < now) {
                    now = streams[k].t[next[k]];
                    best = k;
                }
            });
            if (best < 0) break; // times that are no numbers: the rest is left out
            this.t[to] = now;
            this.source[to] = best;
            this.index[to] = next[best]++;
        }
    }

    private readonly tables: Table[];

    /** All numbers at time t, held before the first and after the last row. */
    sample(t: number, out: Float32Array): void {
        const last = this.t.length - 1;
        const next = Math.min(countUpTo(this.t, t), last);
        const before = Math.max(next - 1, 0);
        const span = this.t[next] - this.t[before];
        const s = span > 0 ? Math.min(Math.max((t - this.t[before]) / span, 0), 1) : 1;
        const [a, aStart] = this.place(before);
        const [b, bStart] = this.place(next);
        for (let j = 0; j < this.columns; j++) {
            const x = a[aStart + j];
            out[j] = x + (b[bStart + j] - x) * s;
        }
    }

    /** Calls for about `most` entries in [from, to], in order: the array and where they begin. */
    eachBetween(from: number, to: number, most: number,
                visit: (values: Float32Array, start: number) => void): void {
        const first = countUpTo(this.t, from);
        const end = countUpTo(this.t, to);
        const stride = Math.max(1, Math.ceil((end - first) / most));
        // counted from the beginning, so that the same entries are visited while time goes on
        for (let k = Math.ceil(first / stride) * stride; k < end; k += stride)
            visit(...this.place(k));
    }

    private place(k: number): [Float32Array, number] {
        return [this.tables[this.source[k]].values, this.index[k] * this.columns];
    }
}
