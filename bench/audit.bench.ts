import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { AuditEntry } from '@worktrack/contracts/audit/entry';
import { chainedHash, signHead } from '@worktrack/runtime/audit/chain';
import { buildOneFile } from '../cli/one-file/build.ts';
import { printTable } from './support/table.ts';

/** `worktrack audit verify` on a long log, whole and changed in each way: what it finds, in which time and memory. */
const ENTRIES = Number(process.argv[2] ?? 1_000_000);
const MIDDLE = Math.floor(ENTRIES / 2);
const HEADS = 100;
const COMMAND = fileURLToPath(new URL('../cli/dist/worktrack.mjs', import.meta.url));

function entry(seq: number, before: string): AuditEntry {
  const made = {
    ...{ seq, id: randomUUID(), at: new Date(1_767_225_600_000 + seq).toISOString(), action: 'users.update' },
    actor: { type: 'key' as const, id: randomUUID(), name: `Key ${seq % 97}`, userId: randomUUID() },
    targets: [{ type: 'user' as const, id: randomUUID(), name: `User ${seq % 997}` }],
    context: { address: `192.0.2.${seq % 250}`, userAgent: 'curl/8', requestId: randomUUID() },
    outcome: 'allowed' as const,
    changes: [{ field: 'role', old: 'member', new: 'admin' }],
    salts: Object.fromEntries(
      ['actor.name', 'targets.0.name', 'context.address', 'context.userAgent'].map((path) => [
        path,
        randomBytes(16).toString('hex'),
      ]),
    ),
  };
  return { ...made, hash: chainedHash(before, made) };
}

async function compare(folder: string): Promise<void> {
  const organizationId = randomUUID();
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const stranger = generateKeyPairSync('ed25519').privateKey;
  const files = { whole: join(folder, 'log'), heads: join(folder, 'heads'), keys: join(folder, 'keys') };
  const heads: { seq: number; hash: string }[] = [];
  await pipeline(async function* () {
    let before = '';
    for (let seq = 1; seq <= ENTRIES; seq++) {
      const made = entry(seq, before);
      before = made.hash;
      if (seq % Math.floor(ENTRIES / HEADS) === 0) heads.push({ seq, hash: before });
      yield `${JSON.stringify(made)}\n`;
    }
  }, createWriteStream(files.whole));
  const { x } = publicKey.export({ format: 'jwk' });
  writeFileSync(files.keys, JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'a', x }] }));
  const signed = (key: typeof privateKey) =>
    heads.map((head) => JSON.stringify(signHead({ organizationId, at: new Date(0).toISOString(), ...head }, 'a', key)));
  writeFileSync(files.heads, signed(privateKey).join('\n'));

  const rows: string[][] = [['nothing', ...(await verify(files.whole, files))]];
  for (const [name, change] of Object.entries(CHANGES)) {
    const changed = join(folder, 'changed');
    await pipeline(lines(files.whole), change, createWriteStream(changed));
    rows.push([name, ...(await verify(changed, files))]);
  }
  writeFileSync(files.heads, signed(stranger).join('\n'));
  rows.push(['heads signed by another key', ...(await verify(files.whole, files))]);
  console.log(`${ENTRIES} entries, ${HEADS} heads; each change at seq ${MIDDLE}\n`);
  printTable(['changed', 'exit', 'says', 'seconds', 'MiB'], rows);
}

type Change = (lines: AsyncIterable<string>) => AsyncIterable<string>;

/** A change of one line by its place. */
const at = (seq: number, change: (line: string) => string[]): Change =>
  async function* (all) {
    let place = 0;
    for await (const line of all) {
      if (++place !== seq) yield `${line}\n`;
      else for (const each of change(line)) yield `${each}\n`;
    }
  };

const CHANGES: Readonly<Record<string, Change>> = {
  edit: at(MIDDLE, (line) => [line.replace('"old":"member"', '"old":"viewer"')]),
  insert: at(MIDDLE, (line) => [line, line.replace('"outcome":"allowed"', '"outcome":"denied"')]),
  delete: at(MIDDLE, () => []),
  async *reorder(all) {
    let held: string | undefined;
    let place = 0;
    for await (const line of all) {
      if (++place === MIDDLE) held = line;
      else yield `${line}\n${held === undefined ? '' : `${held}\n`}`;
      if (place !== MIDDLE) held = undefined;
    }
  },
  async *truncate(all) {
    let place = 0;
    for await (const line of all) if (++place <= MIDDLE) yield `${line}\n`;
  },
  /** Everything from there on is another history, whole in itself. */
  async *fork(all) {
    let place = 0;
    let before = '';
    for await (const line of all) {
      const made = JSON.parse(line) as AuditEntry;
      if (++place >= MIDDLE) {
        made.action = 'users.erase';
        made.hash = chainedHash(before, made);
      }
      before = made.hash;
      yield `${JSON.stringify(made)}\n`;
    }
  },
};

const lines = (file: string) => createInterface({ input: createReadStream(file) });

/** @returns the exit code, the first fault, seconds and the largest resident set in MiB */
async function verify(file: string, { heads, keys }: { heads: string; keys: string }): Promise<string[]> {
  const startedAtMs = performance.now();
  const child = spawn('/usr/bin/env', [
    ...['node', '--import', `data:text/javascript,${encodeURIComponent(TELL_MEMORY)}`],
    ...[COMMAND, 'audit', 'verify', file, '--heads', heads, '--keys', keys],
  ]);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  const [, kib = '0'] = /maxrss (\d+)/.exec(said) ?? [];
  const first = /^.*seq \d.*$/m.exec(said)?.[0] ?? said.split('\n')[0] ?? '';
  return [String(code), first, seconds, (Number(kib) / 1_024).toFixed(0)];
}

const TELL_MEMORY = "process.on('exit', () => console.error('maxrss ' + process.resourceUsage().maxRSS));";

const folder = await mkdtemp(join(tmpdir(), 'worktrack-audit-'));
try {
  await buildOneFile();
  await compare(folder);
} finally {
  await rm(folder, { recursive: true });
}
