// Base64 of little-endian numbers, as `carom view` writes them, to typed arrays.

/** What is wrong with the data of the page, for people. */
export class DataError extends Error {}

interface NativeDecoder {
    fromBase64?: (text: string) => Uint8Array<ArrayBuffer>;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function decodeSlowly(text: string): Uint8Array<ArrayBuffer> {
    const value = new Int16Array(128).fill(-1);
    for (let k = 0; k < 64; k++) value[DIGITS.charCodeAt(k)] = k;
    const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
    const bytes = new Uint8Array((text.length / 4) * 3 - padding);
    const digit = (at: number): number => {
        const code = text.charCodeAt(at);
        const found = code < 128 ? value[code] : -1;
        if (found < 0) throw new SyntaxError("not a base64 digit");
        return found;
    };
    const whole = text.length - (padding ? 4 : 0);
    let to = 0;
    for (let k = 0; k < whole; k += 4) {
        const four =
            (digit(k) << 18) | (digit(k + 1) << 12) | (digit(k + 2) << 6) | digit(k + 3);
        bytes[to++] = four >> 16;
        bytes[to++] = (four >> 8) & 255;
        bytes[to++] = four & 255;
    }
    if (padding) {
        const last = (digit(whole) << 18) | (digit(whole + 1) << 12) |
            (padding === 1 ? digit(whole + 2) << 6 : 0);
        bytes[to++] = last >> 16;
        if (padding === 1) bytes[to++] = (last >> 8) & 255;
    }
    return bytes;
}

function decodeBytes(text: unknown, size: number, what: string): ArrayBuffer {
    if (typeof text !== "string") throw new DataError(`${what} is missing`);
    const expected = Math.ceil(size / 3) * 4;
    if (text.length !== expected)
        throw new DataError(
            `${what} is incomplete: ${text.length} characters of ${expected} are there`,
        );
    const native = (Uint8Array as unknown as NativeDecoder).fromBase64;
    try {
        const bytes = native ? native.call(Uint8Array, text) : decodeSlowly(text);
        if (bytes.byteLength === size) return bytes.buffer;
    } catch {
        // told below
    }
    throw new DataError(`${what} is damaged: it is not base64 of ${size} bytes`);
}

export function decodeFloats(text: unknown, count: number, what: string): Float32Array {
    return new Float32Array(decodeBytes(text, 4 * count, what));
}

export function decodeDoubles(text: unknown, count: number, what: string): Float64Array {
    return new Float64Array(decodeBytes(text, 8 * count, what));
}
