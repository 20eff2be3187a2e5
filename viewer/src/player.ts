// The clock of the page: time, speed, and who wants to know.
export const SPEEDS = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000,
];
const WATCHED = 8; // seconds a motion takes to watch, if it is very short or long

export class Player {
    t: number;
    playing = false;
    loop = true;
    speed: number;
    private last = 0;
    private readonly listeners: (() => void)[] = [];

    constructor(readonly begin: number, readonly end: number) {
        this.t = begin;
        const span = end - begin;
        const wanted = span >= 1.5 && span <= 30 ? 1 : span / WATCHED;
        const distance = (speed: number): number => Math.abs(Math.log(speed / wanted));
        this.speed = span > 0
            ? SPEEDS.reduce((best, speed) => (distance(speed) < distance(best) ? speed : best)) : 1;
    }

    /** Called when anything but the passing of time has changed. */
    onChange(listener: () => void): void {
        this.listeners.push(listener);
    }

    private changed(): void {
        for (const listener of this.listeners) listener();
    }

    seek(t: number): void {
        this.t = Math.min(Math.max(t, this.begin), this.end);
        this.changed();
    }

    toggle(): void {
        this.playing = !this.playing && this.end > this.begin;
        if (this.playing && this.t >= this.end) this.t = this.begin;
        this.last = 0;
        this.changed();
    }

    pause(): void {
        if (this.playing) this.toggle();
    }

    setSpeed(speed: number): void {
        this.speed = speed;
        this.changed();
    }

    /** The next faster (1) or slower (-1) speed. */
    shiftSpeed(by: number): void {
        const at = SPEEDS.indexOf(this.speed) + by;
        if (at >= 0 && at < SPEEDS.length) this.setSpeed(SPEEDS[at]);
    }

    setLoop(loop: boolean): void {
        this.loop = loop;
        this.changed();
    }

    /** Time has come to `now` (milliseconds). */
    advance(now: number): void {
        if (!this.playing) return;
        const passed = this.last ? Math.min(now - this.last, 250) / 1000 : 0;
        this.last = now;
        let t = this.t + passed * this.speed;
        if (t >= this.end) {
            if (this.loop) t = this.begin + ((t - this.begin) % (this.end - this.begin));
            else {
                this.t = this.end;
                this.toggle();
                return;
            }
        }
        this.t = t;
    }
}
