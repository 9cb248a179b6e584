/**
 * Compares `tools/call` at the gateway with the SDK's bare low-level server and the same payload, in one run. The RPC hop (broker, service and database) is
 * shown separately. `npm run bench -- mcp [--calls 2000] [--rounds 3]`
 *
 * A lone call is timed, and the hop's time is subtracted. That still charges the gateway for waking up after it: the bare server is never idle. So the server
 * process's CPU per call is measured too, with several calls in progress, as in real operation.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Project } from '@worktrack/contracts/projects/project';
import { cpuMsOf } from './support/cpu.ts';
import { quantile } from './support/quantile.ts';
import { startSide } from './support/side.ts';
import { startBenchSystem } from './support/system.ts';
import { printTable } from './support/table.ts';

const WANTED_RATIO = 1.3;
const ITEMS = 10;
const TOGETHER = 8;
const TOOL = 'list_work_items';
const { values } = parseArgs({
  options: { calls: { type: 'string', default: '2000' }, rounds: { type: 'string', default: '3' } },
});
const calls = Number(values.calls);

const system = await startBenchSystem({ env: { LOG_LEVEL: 'warn' } });
let bare: Awaited<ReturnType<typeof startSide>> | undefined;
try {
  const [gateway = ''] = system.gateways;
  const [replica] = system.services.of('gateway');
  const opsUrl = replica?.opsUrl as string;
  const gatewayPid = replica?.part.pid;
  const project = await system.call<Project>('POST', '/api/projects', { name: 'Bench' });
  const board = await system.call<{ columns: { id: string }[] }>('GET', `/api/boards/${project.defaultBoardId}`);
  for (let number = 0; number < ITEMS; number++) {
    await system.call('POST', '/api/work-items', {
      title: `Write the part number ${number} of the reference`,
      type: 'task',
      projectId: project.id,
      boardId: project.defaultBoardId,
      boardColumnId: board.columns[0]?.id,
    });
  }

  const eras = {
    '2026-07-28': {
      headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': TOOL },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
    '2025-11-25': { headers: { 'mcp-protocol-version': '2025-11-25' }, _meta: {} },
  } as const;
  type Era = keyof typeof eras;

  const call = async (url: string, era: Era): Promise<string> => {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${system.apiKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...eras[era].headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: TOOL, arguments: { projectId: project.id }, _meta: eras[era]._meta },
      }),
    });
    const text = await response.text();
    if (!text.includes('structuredContent') || text.includes('isError')) throw new Error(text);
    return text;
  };

  const answer = JSON.parse(await call(gateway, '2026-07-28')) as { result: { structuredContent: object } };
  bare = await startSide(join(import.meta.dirname, 'bare/mcp-server.ts'), {
    ...process.env,
    BENCH_PAYLOAD: JSON.stringify(answer.result.structuredContent),
  });

  /** Time that calls of the tool's operation have spent beyond the gateway, in microseconds. */
  const hopUs = async (): Promise<number> => {
    const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
    const sum = /^worktrack_rpc_client_seconds_sum\{[^}]*operation="workItems\.list"[^}]*\} (\S+)$/m.exec(metrics);
    return Number(sum?.[1] ?? 0) * 1e6;
  };
  const timeUs = async (url: string, era: Era): Promise<number> => {
    const startedAtMs = performance.now();
    for (let number = 0; number < calls; number++) await call(url, era);
    return ((performance.now() - startedAtMs) * 1_000) / calls;
  };
  /** For the process that serves `url`, per call, over all of its threads. */
  const cpuUs = async (url: string, era: Era, pid: number | undefined): Promise<number> => {
    const before = cpuMsOf(pid);
    let left = calls;
    const caller = async () => {
      while (left-- > 0) await call(url, era);
    };
    await Promise.all(Array.from({ length: TOGETHER }, caller));
    return ((cpuMsOf(pid) - before) * 1_000) / calls;
  };
  const middle = (numbers: readonly number[]) => quantile(numbers, 0.5);

  const alone: (string | number)[][] = [];
  const together: (string | number)[][] = [];
  for (const era of Object.keys(eras) as Era[]) {
    const rounds: { bare: number; whole: number; hop: number; bareCpu: number; cpu: number }[] = [];
    for (let round = 0; round <= Number(values.rounds); round++) {
      const bareUs = await timeUs(bare.url, era);
      const before = await hopUs();
      const whole = await timeUs(gateway, era);
      const hop = ((await hopUs()) - before) / calls;
      const bareCpu = await cpuUs(bare.url, era, bare.child.pid);
      const cpu = await cpuUs(gateway, era, gatewayPid);
      // The first round warms up.
      if (round > 0) rounds.push({ bare: bareUs, whole, hop, bareCpu, cpu });
    }
    const bareUs = middle(rounds.map((round) => round.bare));
    const gatewayUs = middle(rounds.map(({ whole, hop }) => whole - hop));
    alone.push([era, bareUs, gatewayUs, gatewayUs / bareUs, middle(rounds.map((round) => round.hop))]);
    const bareCpu = middle(rounds.map((round) => round.bareCpu));
    const cpu = middle(rounds.map((round) => round.cpu));
    together.push([era, bareCpu, cpu, cpu / bareCpu]);
  }
  const ratio = `ratio (wanted: ≤ ${WANTED_RATIO})`;
  printTable(['alone', 'bare SDK server, µs', 'gateway, µs', ratio, 'RPC hop and service, µs'], alone);
  console.log(
    `Time per call, client included on both sides. The gateway: HTTP, key, permission, input, protocol, answer.\n`,
  );
  printTable([`${TOGETHER} together`, 'bare SDK server, CPU µs', 'gateway, CPU µs', ratio], together);
  console.log(
    `CPU of the server process per call; the gateway's end of the RPC hop and of Redis is in it.\nMedian of ${values.rounds} rounds of ${calls} calls that list ${ITEMS} items.`,
  );
} finally {
  bare?.child.disconnect();
  await system.stop();
}
