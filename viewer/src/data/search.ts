/** How many entries of the increasing list are at most x. */
export function countUpTo(list: ArrayLike<number>, x: number): number {
    let low = 0;
    let high = list.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle] <= x) low = middle + 1;
        else high = middle;
    }
    return low;
}
