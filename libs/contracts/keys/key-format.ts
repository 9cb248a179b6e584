/**
 * The format of an API key: `wt_` + 30 random base62 characters + 6 base62 characters of the CRC-32 of those 30.
 * Fixed prefix and checksum let a secret scanner recognize a leaked key without asking us, and let us refuse a mistyped one
 * before any lookup. Pure functions: making and hashing keys needs node:crypto and is up to the keys service.
 */
export const KEY_MARK = 'wt_';
/**
 * Console sessions have the same form, and so do the codes that start them, tokens of rules of trust, and a connected app's authorization codes, access tokens
 * and refresh tokens. None is ever mistaken for another.
 */
export const SESSION_MARK = 'wts_';
export const CODE_MARK = 'wtc_';
export const TRUST_TOKEN_MARK = 'wtt_';
export const AUTHORIZATION_MARK = 'wta_';
export const ACCESS_TOKEN_MARK = 'wto_';
export const REFRESH_TOKEN_MARK = 'wtr_';
export type Mark =
  | typeof KEY_MARK
  | typeof SESSION_MARK
  | typeof CODE_MARK
  | typeof TRUST_TOKEN_MARK
  | typeof AUTHORIZATION_MARK
  | typeof ACCESS_TOKEN_MARK
  | typeof REFRESH_TOKEN_MARK;

export const KEY_RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
export const KEY_LENGTH = KEY_MARK.length + KEY_RANDOM_LENGTH + CHECKSUM_LENGTH;
/** After the mark. */
const PREFIX_RANDOM_LENGTH = 8;

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const SHAPE = new RegExp(`^[0-9A-Za-z]{${KEY_RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);
/** What `prefixOf` returns for any of them. */
export const PREFIX_SHAPE = new RegExp(`^wt[sctaor]?_[0-9A-Za-z]{${PREFIX_RANDOM_LENGTH}}$`);

/** @param random KEY_RANDOM_LENGTH characters of BASE62, each drawn uniformly by a cryptographic generator */
export function assembleKey(random: string, mark: Mark = KEY_MARK): string {
  return mark + random + checksum(random);
}

export function isWellFormedKey(value: string, mark: Mark = KEY_MARK): boolean {
  if (!value.startsWith(mark)) return false;
  const rest = value.slice(mark.length);
  return SHAPE.test(rest) && rest.slice(KEY_RANDOM_LENGTH) === checksum(rest.slice(0, KEY_RANDOM_LENGTH));
}

/** The mark and the first 8 random characters: shown in lists, and unique, so it also finds the key. */
export function prefixOf(key: string): string {
  return key.slice(0, key.indexOf('_') + 1 + PREFIX_RANDOM_LENGTH);
}

function checksum(random: string): string {
  let rest = crc32(random);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  // The reflected polynomial of ISO 3309, as in zlib and PNG.
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** CRC-32 of ASCII text. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i++) {
    crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ text.charCodeAt(i)) & 0xff] as number);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
