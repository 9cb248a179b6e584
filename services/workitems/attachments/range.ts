export interface Span {
  /** First and last byte, both inclusive. */
  readonly start: number;
  readonly end: number;
}

const SINGLE_RANGE = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/;

/**
 * What a Range header (RFC 9110, section 14) asks of content of this size. A server may ignore it: so does this one with what it does not
 * understand and with several ranges at once, which players and download managers do not send.
 * Not by the package range-parser: 1.3.0 refuses a suffix that is longer than the content, which the RFC takes for the whole of it.
 */
export function requestedSpan(header: string | undefined, sizeBytes: number): Span | 'whole' | 'unsatisfiable' {
  const match = SINGLE_RANGE.exec(header ?? '');
  if (!match) return 'whole';
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const suffixBytes = Number(last);
    if (suffixBytes === 0 || sizeBytes === 0) return 'unsatisfiable';
    return { start: Math.max(0, sizeBytes - suffixBytes), end: sizeBytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  // A last byte before the first makes the header invalid, and an invalid one is ignored.
  if (last !== '' && Number(last) < start) return 'whole';
  return start >= sizeBytes ? 'unsatisfiable' : { start, end };
}
