export interface Span {
  /** First and last byte, both inclusive. */
  readonly start: number;
  readonly end: number;
}

const SINGLE_RANGE = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/;

/**
 * What a Range header (RFC 9110, section 14) requests from content of this size. A server may ignore it: this one does so if it does not
 * understand it, and for several ranges at once, which players and download managers do not send.
 * Not with the package range-parser: 1.3.0 rejects a suffix longer than the content, which per the RFC means all of it.
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
  // A last byte before the first makes the header invalid, and invalid headers are ignored.
  if (last !== '' && Number(last) < start) return 'whole';
  return start >= sizeBytes ? 'unsatisfiable' : { start, end };
}
