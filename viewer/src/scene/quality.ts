// How finely a motion is drawn. Where frames come late, as they do without a graphics card, the picture has fewer
// points while it plays, and then no shadows; what stands still is drawn in full.

const SCALES = [1, 0.7, 0.5, 0.35, 0.25]; // points of the picture, each way
const LATE = 36; // milliseconds between frames: fewer than 30 come in a second
const FRAMES = 6; // that are judged together
const WITHOUT_SHADOWS = 2; // from this level on

export class Quality {
    private level = 0;
    private last = NaN;
    private spent = 0;
    private count = 0;

    get scale(): number {
        return SCALES[this.level];
    }

    get shadows(): boolean {
        return this.level < WITHOUT_SHADOWS;
    }

    /** A frame of a motion is drawn now (milliseconds). True: from now on more coarsely. */
    played(now: number): boolean {
        const late = now - this.last;
        this.last = now;
        if (Number.isNaN(late)) return false; // the first
        this.spent += late;
        if (++this.count < FRAMES && this.spent <= LATE * FRAMES) return false;
        const coarser = this.spent > LATE * this.count && this.level + 1 < SCALES.length;
        this.spent = this.count = 0;
        if (coarser) this.level++;
        return coarser;
    }

    /** Nothing moves any more. True: from now on in full. */
    rested(): boolean {
        const was = this.level;
        this.level = this.spent = this.count = 0;
        this.last = NaN;
        return was > 0;
    }
}
