/** @param q from 0 to 1, such as 0.5 for the median. @returns the measured value at that place, in the list's unit; NaN of an empty list */
export function quantile(list: readonly number[], q: number): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length * q)] ?? Number.NaN;
}
