import { MAX_JWT_LENGTH } from '@worktrack/contracts/keys/trust-tokens';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A JWT as it was sent: nothing of it is verified. */
export interface ReadJwt {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  /** What the signature is about. */
  readonly signed: string;
}

const BASE64URL = /^[A-Za-z0-9_-]+$/;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Far more than any issuer's. What is nested 5 000 levels deep cannot be written as JSON again: the stack overflows. */
const MAX_DEPTH = 50;

/**
 * A JWS in its compact form (RFC 7515, 7.1) whose header and payload can be read in one way only. Both are JSON objects, not nested too deeply, without a
 * repeated name, since parsers differ in the value that they choose.
 * @returns undefined if it is anything else
 */
export function readJwt(text: string): ReadJwt | undefined {
  const parts = text.split('.');
  if (text.length > MAX_JWT_LENGTH || parts.length !== 3 || !parts.every((part) => BASE64URL.test(part)))
    return undefined;
  const [first = '', second = ''] = parts;
  const header = objectIn(first);
  const payload = objectIn(second);
  return header && payload && { header, payload, signed: `${first}.${second}` };
}

function objectIn(part: string): JsonObject | undefined {
  const bytes = Buffer.from(part, 'base64url');
  // Other letters at the end may stand for the same bytes.
  if (bytes.toString('base64url') !== part) return undefined;
  try {
    const text = UTF8.decode(bytes);
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return isReadable(text) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** A text, or a sign that matters. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/** @param text that JSON.parse accepts */
function isReadable(text: string): boolean {
  const open: (Set<string> | undefined)[] = [];
  let before = '';
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token.startsWith('"') && (before === '{' || before === ',')) {
      const names = open.at(-1);
      const name = JSON.parse(token) as string;
      if (names?.has(name)) return false;
      names?.add(name);
    }
    if (open.length > MAX_DEPTH) return false;
    before = token;
  }
  return true;
}
