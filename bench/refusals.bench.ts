/**
 * What it costs the gateway to refuse requests designed to be expensive, compared with JSON.parse of their body alone; in CPU time, which other work
 * on the machine affects little.
 * `npm run bench -- refusals [--requests 50]`
 */
import { parseArgs } from 'node:util';
import { cpuMsOf } from './support/cpu.ts';
import { startBenchSystem } from './support/system.ts';
import { printTable } from './support/table.ts';

const WANTED_PUBLIC_MS = 5;
const WANTED_RATIO = 3;
const MEBIBYTE = 1_048_576;
const { values } = parseArgs({ options: { requests: { type: 'string', default: '50' } } });
const requests = Number(values.requests);

const fields = (count: number, nameOf: (number: number) => string) =>
  Array.from({ length: count }, (_, number) => `"${nameOf(number)}":1`).join(',');
const call = (args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_task","arguments":${args}}}`;

const unknown = `{${fields(80_000, (number) => `u${number}`)}}`;
const poisoned = `{${fields(80_000, (number) => `u${number}`)},"__proto__":1}`;
const operators = `{"title":"x","metadata":{${fields(85_000, (number) => `$${number}`)}}}`;
const fitting = { unknown: fields(4_500, (number) => `u${number}`), poisoned: fields(4_500, (number) => `u${number}`) };

const CASES: readonly [name: string, path: string, body: string][] = [
  ['85 000 unknown fields, REST', '/api/work-items', unknown],
  ['80 000 fields and __proto__, REST', '/api/work-items', poisoned],
  ['85 000 $ keys in metadata, REST', '/api/work-items', operators],
  ['1 MiB of [, REST', '/api/work-items', '['.repeat(MEBIBYTE)],
  ['metadata of 500 000 levels, REST', '/api/work-items', `{"metadata":${'['.repeat(500_000)}${']'.repeat(500_000)}}`],
  ['500 wrong ids, REST', '/api/work-items/batch-move', JSON.stringify({ workItemIds: Array(500).fill('x') })],
  ['80 000 arguments, MCP', '/mcp', call(unknown)],
  ['85 000 $ keys in metadata, MCP', '/mcp', call(operators)],
  ['1 MiB of {} in a batch, MCP', '/mcp', `[${Array(349_000).fill('{}').join(',')}]`],
  ['4 500 unknown fields, public', '/feedback/ingest', `{${fitting.unknown}}`],
  ['4 500 fields and __proto__, public', '/feedback/ingest', `{${fitting.poisoned},"__proto__":1}`],
  ['64 KiB of [, public', '/feedback/ingest', '['.repeat(65_536)],
  ['1 MiB, public', '/feedback/ingest', ' '.repeat(MEBIBYTE)],
  ['1 MiB at no path, public', '/nowhere', unknown],
];

function parseMs(body: string): number {
  const before = process.cpuUsage();
  for (let run = 0; run < requests; run++) {
    try {
      JSON.parse(body);
    } catch {
      // That it is not valid is known only once it is parsed.
    }
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / requests;
}

const system = await startBenchSystem({
  env: { LOG_LEVEL: 'warn', FEEDBACK_REFUSALS_PER_IP: '1000000' },
});
try {
  const [gateway] = system.services.of('gateway');
  const send = async (path: string, body: string): Promise<number> => {
    const response = await fetch(`${gateway?.publicUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(path.startsWith('/api') || path === '/mcp' ? { authorization: `Bearer ${system.apiKey}` } : {}),
      },
      body,
    }).catch(() => undefined);
    await response?.arrayBuffer();
    return response?.status ?? 0;
  };
  const rows: (string | number)[][] = [];
  for (const [name, path, body] of CASES) {
    let status = 0;
    for (let run = 0; run < 10; run++) status = await send(path, body);
    const before = cpuMsOf(gateway?.part.pid);
    for (let run = 0; run < requests; run++) await send(path, body);
    const ms = (cpuMsOf(gateway?.part.pid) - before) / requests;
    const alone = parseMs(body);
    rows.push([name, String(status), alone, ms, ms / alone]);
  }
  printTable(
    [
      `${requests} requests`,
      'answer',
      'JSON.parse alone, ms',
      `gateway, ms (public wanted: ${WANTED_PUBLIC_MS})`,
      `ratio (API wanted: ${WANTED_RATIO})`,
    ],
    rows,
  );
} finally {
  await system.stop();
}
