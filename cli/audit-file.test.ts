import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditEntry, AuditHead } from '@worktrack/contracts/audit/entry';
import { chainedHash, signHead } from '@worktrack/runtime/audit/chain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAuditFile, headsIn, signedBefore } from './audit-file.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519').privateKey;
const keys = [{ kty: 'OKP', crv: 'Ed25519', kid: 'a', x: publicKey.export({ format: 'jwk' }).x ?? '' }] as const;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-'));
});
afterAll(() => rm(folder, { recursive: true }));

function log(entries: number, action = 'users.update', from: readonly AuditEntry[] = []): AuditEntry[] {
  const all = [...from];
  while (all.length < entries) {
    const made = {
      ...{ seq: all.length + 1, id: randomUUID(), at: '2026-11-24T00:00:00.000Z', action },
      actor: { type: 'key' as const, id: null, name: 'Çağrı 💡 "x"', userId: null },
      ...{ targets: [], context: { address: null, userAgent: null, requestId: null }, outcome: 'allowed' as const },
      ...{ changes: [], salts: { 'actor.name': '00ff' } },
    };
    all.push({ ...made, hash: chainedHash(all.at(-1)?.hash ?? '', made) });
  }
  return all;
}

const WHOLE = log(40);
const headOf = ({ seq, hash }: AuditEntry, key = privateKey, at = '2026-11-24T00:00:00.000Z'): AuditHead =>
  signHead({ organizationId: 'o', seq, hash, at }, 'a', key);
const HEADS = [10, 20, 30, 40].map((seq) => headOf(WHOLE[seq - 1] as AuditEntry));

async function faultsIn(entries: readonly (AuditEntry | string)[], heads: readonly AuditHead[] = HEADS) {
  const file = join(folder, 'log');
  const lines = entries.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)));
  await writeFile(file, lines.join('\n'));
  return (await checkAuditFile(file, { heads, keys }, () => {})).faults.map(({ seq }) => seq);
}

describe('a log', () => {
  test('that is as it was entered has no fault, in whole or in part', async () => {
    expect(await faultsIn(WHOLE)).toEqual([]);
    expect(await faultsIn(WHOLE.slice(15))).toEqual([]);
    expect(await faultsIn([...WHOLE.map((entry) => `${JSON.stringify(entry)}\r`), '\r', '\r'])).toEqual([]);
  });

  test.each<[string, readonly AuditEntry[], number]>([
    ['an edit', WHOLE.with(14, { ...(WHOLE[14] as AuditEntry), action: 'users.erase' }), 15],
    ['an edit of a salted value', WHOLE.with(14, { ...(WHOLE[14] as AuditEntry), salts: {} }), 15],
    ['the first entry of a part, after a head', WHOLE.slice(10).with(0, { ...(WHOLE[10] as AuditEntry), at: '' }), 11],
    ['an insertion', WHOLE.toSpliced(15, 0, WHOLE[14] as AuditEntry), 15],
    ['a deletion', WHOLE.toSpliced(14, 1), 15],
    ['another order', WHOLE.toSpliced(14, 2, WHOLE[15] as AuditEntry, WHOLE[14] as AuditEntry), 15],
    ['a cut', WHOLE.slice(0, 35), 40],
    ['a fork that is whole in itself', log(40, 'users.erase', WHOLE.slice(0, 15)), 20],
  ])('%s is found, and its place named', async (_, entries, seq) => {
    expect((await faultsIn(entries))[0]).toBe(seq);
  });

  test('of several faults each is named, and nothing that is as it was', async () => {
    const [twice, line] = [WHOLE[14] as AuditEntry, WHOLE.map((entry) => JSON.stringify(entry))];
    expect(await faultsIn(WHOLE.toSpliced(18, 0, twice))).toEqual([15]);
    expect(await faultsIn(WHOLE.toSpliced(14, 2, WHOLE[15] as AuditEntry, twice))).toEqual([15, 15]);
    expect(await faultsIn(line.with(14, (line[14] as string).slice(0, 90)))).toEqual([15]);
    expect(await faultsIn(line.with(14, 'null'))).toEqual([15]);
    expect(await faultsIn(WHOLE.with(14, { ...twice, salts: null as never }))).toEqual([15]);
    expect(await faultsIn(WHOLE.with(14, { ...twice, salts: { '__proto__.toString': '00' } }))).toEqual([15]);
    expect(await faultsIn(WHOLE.with(14, { ...twice, salts: { 'actor.name': 1 as never } }))).toEqual([15]);
  });

  test('that was forked and signed anew is found by a head that was kept, whichever of the two heads comes first', async () => {
    const fork = log(40, 'users.erase', WHOLE.slice(0, 15));
    const anew = [10, 20, 30, 40].map((seq) => headOf(fork[seq - 1] as AuditEntry));
    expect(await faultsIn(fork, anew)).toEqual([]);
    expect(await faultsIn(fork, [...HEADS, ...anew])).toEqual([20, 30, 40]);
    expect(await faultsIn(fork, [...anew, ...HEADS])).toEqual([20, 30, 40]);
    const [kept, part] = [HEADS.slice(0, 3), fork.slice(30)];
    expect(await faultsIn(part, anew)).toEqual([]);
    expect(await faultsIn(part, [...anew, ...kept])).toEqual([20, 30]);
    expect(await faultsIn(part, [...kept, ...anew])).toContain(30);
  });

  test('that was exported up to a time is not said to be cut off by heads of what follows, but is by those before', async () => {
    const later = [20, 40].map((seq) => headOf(WHOLE[seq - 1] as AuditEntry, privateKey, '2026-12-01T00:01:00.000Z'));
    const heads = [...HEADS.slice(0, 1), ...later];
    const november = WHOLE.slice(0, 15);
    expect(await faultsIn(november, heads)).toEqual([20, 40]);
    for (const to of ['2026-12-01', '2026-12-01T00:01:00Z']) {
      expect(await faultsIn(november, signedBefore(to, heads))).toEqual([]);
      expect(await faultsIn(november.slice(0, 9), signedBefore(to, heads))).toEqual([10]);
    }
  });

  test('is not said to be rewritten for heads of another organization', async () => {
    const theirs = HEADS.map((head) => ({ ...head, organizationId: 'p' }));
    await expect(faultsIn(WHOLE, [...HEADS, ...theirs])).rejects.toThrow('of several organizations');
  });

  test('heads signed by somebody else, or with a key that is not published, are found', async () => {
    const [first = WHOLE[0] as never] = [WHOLE[9]];
    expect(await faultsIn(WHOLE, [headOf(first, stranger)])).toEqual([10]);
    expect(await faultsIn(WHOLE, [{ ...headOf(first), keyId: 'b' }])).toEqual([10]);
  });
});

test.each<[string, string, readonly AuditHead[]]>([
  ['no line', '', []],
  ['one', JSON.stringify(HEADS[0]), HEADS.slice(0, 1)],
  ['one of another form', JSON.stringify({ seq: 10, ...HEADS[0] }, null, 2), HEADS.slice(0, 1)],
  ['several, with the line ends of Windows', HEADS.map((head) => `${JSON.stringify(head)}\r\n`).join(''), HEADS],
  ['an answer', JSON.stringify({ success: true, data: { heads: HEADS, nextCursor: null } }), HEADS],
])('heads are read from %s', (_, text, heads) => {
  expect(headsIn(text)).toEqual(heads);
});
