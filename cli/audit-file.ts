import { createReadStream } from 'node:fs';
import type { AuditEntry, AuditHead } from '@worktrack/contracts/audit/entry';
import { type AuditKey, chainedHash, isSignedBy, publicKeyOf } from '@worktrack/runtime/audit/chain';

const BEYOND = 'it was cut off, or exported earlier than the heads, or with --to, which has to be given here, too';

/** Something that is not as it was entered. */
export interface Fault {
  readonly seq: number;
  readonly what: string;
}

export interface Evidence {
  readonly heads: readonly AuditHead[];
  /** Undefined: signatures are not checked. */
  readonly keys: readonly AuditKey[] | undefined;
}

/**
 * Checks an exported audit log against its own chain of hashes and against heads that were kept. Line by line, so that its length does not matter.
 * @param progress told the bytes read so far
 * @throws SyntaxError if it does not begin with an entry, or the heads are of several organizations
 */
export async function checkAuditFile(
  file: string,
  { heads, keys }: Evidence,
  progress: (bytes: number) => void,
): Promise<{ readonly entries: number; readonly faults: readonly Fault[] }> {
  if (new Set(heads.map(({ organizationId }) => organizationId)).size > 1) {
    throw new SyntaxError('The heads are of several organizations. Give those of the one whose log it is.');
  }
  const faults: Fault[] = keys === undefined ? [] : faultsOfHeads(heads, keys);
  // Several of one place, which differ, are a fork: at most one of them is what the file says.
  const headsAt = new Map<number, AuditHead[]>();
  for (const head of heads) headsAt.set(head.seq, [...(headsAt.get(head.seq) ?? []), head]);
  let [lines, entries, last] = [0, 0, 0];
  /** The hash of the entry before; undefined where that is not known. */
  let before: string | undefined;
  const take = (line: string) => {
    const number = ++lines;
    const entry = parsed(line);
    if (!entry) {
      if (entries === 0) throw new SyntaxError(`Line ${number} is not an entry of an audit log.`);
      // In its place, so that what follows is not out of place, too.
      faults.push({ seq: ++last, what: `is not an entry: line ${number} cannot be read` });
      before = undefined;
      return;
    }
    entries++;
    const { seq, hash } = entry;
    if (entries === 1) {
      faults.push(...forksBefore(seq, headsAt));
      before = seq === 1 ? '' : headsAt.get(seq - 1)?.[0]?.hash;
    } else if (seq <= last) {
      faults.push({ seq, what: `is out of place: it comes after ${last}` });
      return;
    } else if (seq !== last + 1) {
      faults.push({ seq: last + 1, what: `is missing: ${seq} follows ${last}` });
      before = undefined;
    }
    if (before !== undefined && hashAfter(before, entry) !== hash) {
      faults.push({ seq, what: 'does not fit its hash and what is before it: it was changed, or put there' });
    }
    if (headsAt.get(seq)?.some((head) => head.hash !== hash)) {
      faults.push({ seq, what: 'differs from its signed head: the log was rewritten' });
    }
    before = hash;
    last = seq;
  };
  for await (const { lines: piece, bytes } of piecesOf(file)) {
    for (const line of piece) if (line !== '' && line !== '\r') take(line);
    progress(bytes);
  }
  const beyond = heads.filter(({ seq }) => seq > last);
  faults.push(
    ...beyond.map(({ seq }) => ({ seq, what: `has a signed head, but the file ends with ${last}: ${BEYOND}` })),
  );
  return { entries, faults };
}

/** Of a log that was exported up to a time: what was entered later, and so is not in the file, was signed later still. @param to a day (UTC) or a time */
export function signedBefore(to: string, heads: readonly AuditHead[]): readonly AuditHead[] {
  return heads.filter(({ at }) => Date.parse(at) < Date.parse(to));
}

/**
 * @param text heads, one per line, as `audit heads` writes them, which may be none; or the answer of `GET /api/audit/heads`
 * @throws SyntaxError if it is neither
 */
export function headsIn(text: string): AuditHead[] {
  return valuesIn(text).flatMap((value) => value?.data?.heads ?? value?.heads ?? value);
}

function valuesIn(text: string) {
  try {
    return [JSON.parse(text)];
  } catch {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return lines.map((line) => JSON.parse(line));
  }
}

const CHUNK_BYTES = 256 * 1024;

/** Many lines at once, and the bytes so far: line by line, as `node:readline` gives them, takes half as long again. */
async function* piecesOf(file: string): AsyncGenerator<{ readonly lines: readonly string[]; readonly bytes: number }> {
  const decoder = new TextDecoder();
  let [rest, bytes] = ['', 0];
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield { lines, bytes };
  }
  yield { lines: [rest], bytes };
}

/** Before the first entry of a part no entry says which of several heads is true. */
function forksBefore(first: number, headsAt: ReadonlyMap<number, readonly AuditHead[]>): Fault[] {
  return [...headsAt]
    .filter(([seq, [one, ...others]]) => seq < first && others.some(({ hash }) => hash !== one?.hash))
    .map(([seq]) => ({ seq, what: 'has signed heads that differ: the log was rewritten' }));
}

function faultsOfHeads(heads: readonly AuditHead[], keys: readonly AuditKey[]): Fault[] {
  const byId = new Map(keys.map((key) => [key.kid, publicKeyOf(key)]));
  return heads.flatMap((head) => {
    const { seq, keyId } = head;
    const key = byId.get(keyId);
    if (!key) return [{ seq, what: `has a head that is signed with ${keyId}, which is not among the public keys` }];
    return isSignedBy(head, key) ? [] : [{ seq, what: `has a head whose signature is not one of the key ${keyId}` }];
  });
}

/** @returns undefined if it cannot be computed, as for paths that no entry has */
function hashAfter(before: string, entry: AuditEntry): string | undefined {
  try {
    return chainedHash(before, entry);
  } catch {
    return undefined;
  }
}

function parsed(line: string): AuditEntry | undefined {
  let entry: Partial<AuditEntry> | null;
  try {
    entry = JSON.parse(line);
  } catch {
    return undefined;
  }
  const isOne = Number.isInteger(entry?.seq) && typeof entry?.hash === 'string' && typeof entry.salts === 'object';
  return isOne && entry?.salts !== null ? (entry as AuditEntry) : undefined;
}
