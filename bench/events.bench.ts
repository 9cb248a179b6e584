/**
 * The event log: how soon listeners know what happens, and what that costs. Each part prints its table, with its targets, next to its
 * baseline from the same run. `npm run bench -- events [--only latency,waiting,streams,webhooks,creation] [--rounds 5]`
 */
import { parseArgs } from 'node:util';
import { creation } from './events/creation.ts';
import { latency } from './events/latency.ts';
import type { Row } from './events/row.ts';
import { streams } from './events/streams.ts';
import { waiting } from './events/waiting.ts';
import { webhooks } from './events/webhooks.ts';
import { printTable } from './support/table.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
  },
});
const parts: Readonly<Record<string, () => Promise<Row[]>>> = {
  latency,
  waiting,
  streams,
  webhooks,
  creation: () => creation(Number(values.rounds)),
};
const names = values.only?.split(',') ?? Object.keys(parts);
const unknown = names.filter((name) => !(name in parts));
if (unknown.length > 0)
  throw new Error(`There is no part ${unknown.join(', ')}; there are: ${Object.keys(parts).join(', ')}.`);

for (const name of names) {
  const rows = await parts[name]?.();
  printTable([name, 'measured', 'wanted'], rows ?? []);
  console.log();
}
