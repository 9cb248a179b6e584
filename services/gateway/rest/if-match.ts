/** One entity tag (RFC 9110, 8.8.3) that holds a version number; quoted as the RFC says, or bare as people write it. */
const VERSION_TAG = /^(?:W\/)?(?:"(\d{1,15})"|(\d{1,15}))$/;

/** @returns the version, `any` for `*`, or `undefined` if it is neither */
export function parseIfMatch(header: string): number | 'any' | undefined {
  const value = header.trim();
  if (value === '*') return 'any';
  const match = VERSION_TAG.exec(value);
  return match ? Number(match[1] ?? match[2]) : undefined;
}
