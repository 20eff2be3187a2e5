// Numbers at any time: rows and impacts in one order, linear in between. Impacts belong to it
// because between two rows a motion may turn round there.
import { countUpTo } from "./search";
import type { Table } from "./trace";

export class Track {
    readonly columns: number;
    private readonly t: Float64Array;
    private readonly from: Int32Array; // a row k, or an impact as ~k

    constructor(
        rowT: Float64Array,
        private readonly rows: Table,
        impactT: Float64Array,
        private readonly impacts: Table,
    ) {
        this.columns = rows.columns;
        const n = impacts.columns === rows.columns ? impacts.rows : 0;
        this.t = new Float64Array(rowT.length + n);
        this.from = new Int32Array(rowT.length + n);
        let i = 0;
        for (let k = 0, to = 0; to < this.t.length; to++) {
            const row = i >= n || (k < rowT.length && rowT[k] <= impactT[i]);
            this.t[to] = row ? rowT[k] : impactT[i];
            this.from[to] = row ? k++ : ~i++;
        }
    }

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
        const from = this.from[k];
        return from >= 0
            ? [this.rows.values, from * this.columns]
            : [this.impacts.values, ~from * this.columns];
    }
}
