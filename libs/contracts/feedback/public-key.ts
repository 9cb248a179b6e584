export const PUBLIC_KEY_MARK = 'pk_';
/** Base62: some 143 bits, so that keys cannot be guessed. */
export const PUBLIC_KEY_RANDOM_LENGTH = 24;

const SHAPE = new RegExp(`^${PUBLIC_KEY_MARK}[0-9A-Za-z]{${PUBLIC_KEY_RANDOM_LENGTH}}$`);

/** Anything else names no source, and needs no lookup. */
export function isPublicKey(value: string): boolean {
  return SHAPE.test(value);
}
