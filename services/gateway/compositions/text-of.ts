export interface DecodedText {
  readonly text: string;
  /** How much of the file it is. */
  readonly shownBytes: number;
  /** By its name in the Encoding Standard (https://encoding.spec.whatwg.org/#names-and-labels). */
  readonly encoding: string;
}

const BOMS: readonly (readonly [encoding: string, bytes: Buffer])[] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];
/**
 * Bytes that no text in ASCII or an extension of it contains. Of the control characters, a text may have tab, line feed, form feed, carriage return and the
 * escape of terminals' colours.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const BINARY = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/;
/** Western text in UTF-16 has a zero in one half of nearly each pair of bytes. */
const MANY_ZEROS = 0.3;

/**
 * The text that a file begins with: by its byte order mark, or what its bytes can be.
 * @param maxBytes of the text in UTF-8
 * @returns undefined: it is no text
 */
export function textOf(file: Buffer, maxBytes: number): DecodedText | undefined {
  const bom = BOMS.find(([, mark]) => file.subarray(0, mark.length).equals(mark));
  const candidates = bom ? [bom[0]] : ['utf-8', wide(file) ?? [], 'windows-1252'].flat();
  for (const encoding of candidates) {
    const text = decoded(file, encoding);
    if (text !== undefined && !BINARY.test(text)) return fitting(file, text, { encoding, maxBytes, bom: bom?.[1] });
  }
  return undefined;
}

/** UTF-16 without a mark, as some tools of Windows write it. */
function wide(file: Buffer): string | undefined {
  const zeros = [0, 0] as [number, number];
  for (const [index, byte] of file.entries()) if (byte === 0) zeros[index % 2 ? 1 : 0]++;
  const pairs = file.length / 2;
  const [even, odd] = zeros.map((count) => count / pairs) as [number, number];
  if (odd > MANY_ZEROS && even === 0) return 'utf-16le';
  return even > MANY_ZEROS && odd === 0 ? 'utf-16be' : undefined;
}

/** Without a character that is cut in two at the end. */
function decoded(bytes: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

/** As much of it as fits: a byte of the file may be several in UTF-8. */
function fitting(
  file: Buffer,
  whole: string,
  {
    encoding,
    maxBytes,
    bom,
  }: { readonly encoding: string; readonly maxBytes: number; readonly bom?: Buffer | undefined },
): DecodedText {
  let [text, shown] = [whole, file];
  for (let size = Buffer.byteLength(text); size > maxBytes; size = Buffer.byteLength(text)) {
    shown = shown.subarray(0, Math.floor((shown.length * maxBytes) / size / 2) * 2);
    text = decoded(shown, encoding) ?? '';
  }
  const shownBytes = encoding === 'utf-8' ? Buffer.byteLength(text) + (bom?.length ?? 0) : shown.length;
  return { text, shownBytes, encoding };
}
