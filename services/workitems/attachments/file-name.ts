/** The limit of file systems: 255 bytes, less room for ` (999)` and the like. */
const MAX_NAME_BYTES = 240;
const FALLBACK = 'file';
/** Names that Windows treats as devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/**
 * A name that is safe to store, to show, to put in a header and to save anywhere. It has no path, nothing that a file system rejects, and no control or
 * invisible direction characters, which make `gpj.exe` look like `exe.jpg`.
 */
export function safeFileName(given: string): string {
  const base = given.normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const cleaned = base
    // Control and format characters, line separators, lone surrogates: nobody types them, and headers and terminals act on them.
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  const name = DEVICE.test(cleaned) ? `_${cleaned}` : cleaned;
  return name === '' ? FALLBACK : shortened(name);
}

/** `report.pdf`, 2 → `report (2).pdf`. */
export function numberedFileName(name: string, number: number): string {
  const { stem, extension } = split(name);
  return `${stem} (${number})${extension}`;
}

function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const { stem, extension } = split(name);
  const room = MAX_NAME_BYTES - Buffer.byteLength(extension);
  // Cut by code points: half a character would be a lone surrogate.
  let kept = '';
  for (const character of stem) {
    if (Buffer.byteLength(kept + character) > room) break;
    kept += character;
  }
  return `${kept.trimEnd()}${extension}`;
}

function split(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? name.slice(dot) : '';
  // The part after the last dot is an extension only if it is short and plain.
  return /^\.[A-Za-z0-9]{1,16}$/.test(extension)
    ? { stem: name.slice(0, dot), extension }
    : { stem: name, extension: '' };
}
