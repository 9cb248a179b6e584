import parseRange from 'range-parser';

export interface Span {
  /** First and last byte, both inclusive. */
  readonly start: number;
  readonly end: number;
}

/**
 * What a Range header (RFC 9110, section 14) asks of content of this size. A server may ignore it: so does this one with what it does not
 * understand and with several ranges at once, which players and download managers do not send.
 */
export function requestedSpan(header: string | undefined, sizeBytes: number): Span | 'whole' | 'unsatisfiable' {
  if (header === undefined) return 'whole';
  const ranges = parseRange(sizeBytes, header, { combine: true });
  if (ranges === -1) return 'unsatisfiable';
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return 'whole';
  const { start, end } = ranges[0] as Span;
  return { start, end };
}
