import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { exportAudit, listAuditHeads } from '@worktrack/contracts/audit/operations';
import { DayOrTime } from '@worktrack/contracts/fields';
import type { AuditKey } from '@worktrack/runtime/audit/chain';
import { Command } from 'commander';
import { checkAuditFile, headsIn, signedBefore } from '../audit-file.ts';
import { Failure } from '../failure.ts';
import { print } from '../output.ts';
import { allPages } from '../service/all-pages.ts';
import { api } from '../service/api.ts';
import { decoded, unreadable } from '../text-input.ts';

/** How many faults are named; the rest is counted. */
const MAX_NAMED = 20;
const LINE_FEED = 10;
const MAX_HEADS = 200;

export function auditCommand(): Command {
  const audit = new Command('audit').description("the organization's audit log");
  audit
    .command('export')
    .description('write the audit log to standard output, one entry per line')
    .option('--from <time>', 'from this day or time on')
    .option('--to <time>', 'before this day or time')
    .action(exportLog);
  audit.command('heads').description('write its signed heads to standard output, one per line').action(heads);
  audit
    .command('verify <file>')
    .description('check an exported log, without a service')
    .option('--heads <file>', 'signed heads that were kept')
    .option('--to <time>', 'the --to of its export: later heads are of what follows')
    .option('--keys <file>', 'the public keys: /.well-known/worktrack-audit-keys.json')
    .action(verify);
  return audit;
}

async function exportLog(range: { readonly from?: string; readonly to?: string }): Promise<void> {
  let entries = 0;
  for await (const piece of await api().download(exportAudit, { ...range })) {
    for (const byte of piece) if (byte === LINE_FEED) entries++;
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
    progress(`${entries} entries`);
  }
  progress();
}

async function heads(): Promise<void> {
  const pages = await allPages((cursor) => api().call(listAuditHeads, { limit: MAX_HEADS, cursor }));
  const found = pages.flatMap((page) => page.heads);
  for (const head of found.reverse()) print(JSON.stringify(head));
}

interface Given {
  readonly heads?: string;
  readonly keys?: string;
  readonly to?: string;
}

async function verify(file: string, given: Given): Promise<void> {
  const totalBytes = reading(file, () => statSync(file).size);
  const all = given.heads === undefined ? [] : reading(given.heads, (text) => headsIn(text()));
  const kept = given.to === undefined ? all : signedBefore(dayOrTime(given.to), all);
  const keys = given.keys === undefined ? undefined : keysIn(given.keys);
  const { entries, faults } = await checkAuditFile(file, { heads: kept, keys }, (bytes) =>
    progress(`${bar(bytes / totalBytes)} ${Math.floor((100 * bytes) / totalBytes)} %`),
  ).catch((error) => {
    if (error instanceof SyntaxError) throw new Failure('usage', `${file}: ${error.message}`);
    throw error;
  });
  progress();
  if (faults.length > 0) {
    const named = faults.slice(0, MAX_NAMED).map(({ seq, what }) => `seq ${seq} ${what}.`);
    if (faults.length > MAX_NAMED) named.push(`There are ${faults.length - MAX_NAMED} more.`);
    throw new Failure('refused', `The log is not as it was entered.\n${named.join('\n')}`);
  }
  const fit = kept.length === 1 ? 'The head fits' : `${kept.length} heads fit`;
  const heads =
    kept.length > 0
      ? `${fit}${keys ? '' : '; no signature was checked, for which --keys is needed'}.`
      : 'Without --heads, a log that was cut off, or rewritten to its end, is not noticed.';
  print(`${entries} entries are as they were entered. ${heads}`);
}

function dayOrTime(text: string): string {
  const { success, error } = DayOrTime.safeParse(text);
  if (success) return text;
  throw new Failure('usage', `--to ${error.issues[0]?.message}.`);
}

function keysIn(file: string): AuditKey[] {
  const { keys } = reading(file, (text) => JSON.parse(text()) ?? {});
  // Without them no signature would be checked, and nobody would know.
  if (!Array.isArray(keys)) throw new Failure('usage', `${file} has no keys: it must be a JWKS, { "keys": [...] }.`);
  return keys;
}

function reading<T>(file: string, read: (text: () => string) => T): T {
  try {
    return read(() => decoded(readFileSync(file)));
  } catch (error) {
    throw unreadable(file, error as NodeJS.ErrnoException);
  }
}

const BAR_WIDTH = 30;

function bar(part: number): string {
  const done = Math.round(Math.min(1, part) * BAR_WIDTH);
  return `[${'#'.repeat(done)}${' '.repeat(BAR_WIDTH - done)}]`;
}

/** On a terminal only, in one line that is overwritten; without a text it is removed. */
function progress(text?: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text ?? ''}`);
}
