// What a reader sees, as numbers.
import { inflateSync } from "node:zlib";

/** The pixels of a PNG with 8 bits per channel, as RGB or RGBA rows. */
export function decodePng(png) {
    let at = 8;
    let width = 0;
    let height = 0;
    let channels = 0;
    const parts = [];
    while (at < png.length) {
        const size = png.readUInt32BE(at);
        const kind = png.toString("latin1", at + 4, at + 8);
        const body = png.subarray(at + 8, at + 8 + size);
        if (kind === "IHDR") {
            width = body.readUInt32BE(0);
            height = body.readUInt32BE(4);
            channels = { 2: 3, 6: 4 }[body[9]];
        }
        if (kind === "IDAT") parts.push(body);
        at += size + 12;
    }
    const raw = inflateSync(Buffer.concat(parts));
    const stride = width * channels;
    const pixels = new Uint8Array(stride * height);
    for (let y = 0; y < height; y++) unfilter(raw, pixels, y, stride, channels);
    return { width, height, channels, pixels };
}

function unfilter(raw, pixels, y, stride, channels) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
        const to = y * stride + x;
        const left = x >= channels ? pixels[to - channels] : 0;
        const up = y ? pixels[to - stride] : 0;
        const corner = y && x >= channels ? pixels[to - stride - channels] : 0;
        const estimate = left + up - corner;
        const [a, b, c] = [left, up, corner].map((value) => Math.abs(estimate - value));
        const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
        pixels[to] = raw[y * (stride + 1) + 1 + x] +
            [0, left, up, (left + up) >> 1, paeth][filter];
    }
}

/** How many pixels differ noticeably. */
export function countChanged(first, second) {
    const a = decodePng(first);
    const b = decodePng(second);
    if (a.width !== b.width || a.height !== b.height) return Infinity;
    let changed = 0;
    for (let k = 0; k < a.width * a.height; k++)
        for (let c = 0; c < 3; c++)
            if (Math.abs(a.pixels[k * a.channels + c] - b.pixels[k * b.channels + c]) > 24) {
                changed++;
                break;
            }
    return changed;
}

/** How many pixels are near a colour [r, g, b]. */
export function countNear(png, [r, g, b], tolerance = 40) {
    const { width, height, channels, pixels } = decodePng(png);
    let count = 0;
    for (let k = 0; k < width * height; k++) {
        const at = k * channels;
        if (Math.abs(pixels[at] - r) < tolerance && Math.abs(pixels[at + 1] - g) < tolerance &&
            Math.abs(pixels[at + 2] - b) < tolerance) count++;
    }
    return count;
}
