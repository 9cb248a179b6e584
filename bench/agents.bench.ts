/**
 * How much a model has to read, and how well errors tell it what to correct: `npm run bench -- agents [--only play,catalogue,repair]`
 *
 * - The play: three agents do an epic of twelve dependent tasks that a lead has planned, and a reviewer passes their work. It measures the calls and their
 *   results as a model reads them.
 * - The catalogue: how much context `tools/list` takes, beside that of comparable MCP servers that can be installed here.
 * - The repair: each argument of each tool is made wrong, and a fixed program that reads only the error text mends the call.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Project } from '@worktrack/contracts/projects/project';
import { PEERS } from './agents/peers.ts';
import { play } from './agents/play.ts';
import { repair } from './agents/repair.ts';
import { ToolClient } from './agents/tool-client.ts';
import { sizeOf } from './agents/words.ts';
import { startBenchSystem } from './support/system.ts';
import { printTable } from './support/table.ts';

const MAX_CALLS = 70;
const MAX_RESULT_TOKENS = 16_000;
const MAX_CATALOGUE_BYTES = 24_000;
const MAX_CATALOGUE_TOKENS = 5_600;
const MIN_MENDED = 0.95;
const PARTS = ['play', 'catalogue', 'repair'];
const { values } = parseArgs({ options: { only: { type: 'string', default: PARTS.join(',') } } });
const wanted = new Set(values.only.split(','));

const folder = mkdtempSync(join(tmpdir(), 'worktrack-agents-'));
const system = await startBenchSystem({
  env: { LOG_LEVEL: 'warn', MCP_LOCAL_FILES: 'true', CAPTCHA_PROVIDER: 'altcha' },
});
const [gateway = ''] = system.gateways;
const clients: ToolClient[] = [];
const connect = async (projectId: string, apiKey = system.apiKey) => {
  const client = await ToolClient.connect(gateway, apiKey, projectId);
  clients.push(client);
  return client;
};
const newProject = (name: string, gates: 'warn' | 'enforce' = 'warn') =>
  system.call<Project>('POST', '/api/projects', { name, gates });

async function playOnce(): Promise<void> {
  const { id } = await newProject('The play', 'enforce');
  const user = await system.call<{ id: string }>('POST', '/api/users', {
    ...{ email: 'reviewer@example.com', name: 'Reviewer', role: 'member' },
  });
  const keyOf = (name: string, userId?: string) =>
    system.call<{ key: string }>('POST', '/api/api-keys', { name, ...(userId && { userId }) });
  const ofAgents = await Promise.all([1, 2, 3].map(async (n) => connect(id, (await keyOf(`Agent ${n}`)).key)));
  const team = {
    lead: await connect(id),
    agents: ofAgents as [ToolClient, ToolClient, ToolClient],
    reviewer: await connect(id, (await keyOf('Reviewer', user.id)).key),
  };
  await play(team);
  const calls = [team.lead, ...team.agents, team.reviewer].flatMap((client) => client.calls);
  const sum = (of: typeof calls, field: 'bytes' | 'tokens') => of.reduce((total, call) => total + call[field], 0);
  const byTool = [...Map.groupBy(calls, ({ tool }) => tool)].map(([tool, of]) => [
    ...[tool, of.length, sum(of, 'bytes'), sum(of, 'tokens')],
  ]);
  const all = ['all', calls.length, sum(calls, 'bytes'), sum(calls, 'tokens')];
  printTable(['tool', 'calls', 'bytes of results', 'tokens of results'], [...byTool, all]);
  console.log(`Wanted: at most ${MAX_CALLS} calls and ${MAX_RESULT_TOKENS} tokens (o200k_base).\n`);
}

async function catalogues(client: ToolClient): Promise<void> {
  const rows: (string | number)[][] = [];
  const add = (name: string, text: string) => {
    const { tools } = JSON.parse(text) as { tools: unknown[] };
    const { bytes, tokens } = sizeOf(text);
    rows.push([name, tools.length, bytes, tokens]);
  };
  add('worktrack', JSON.stringify({ tools: await client.tools() }));
  for (const { name, catalogue } of PEERS) {
    try {
      add(name, await catalogue());
    } catch (error) {
      rows.push([name, `not installed here: ${(error as Error).message}`, '', '']);
    }
  }
  printTable(['tools/list of', 'tools', 'bytes', 'tokens'], rows);
  console.log(`Wanted: at most ${MAX_CATALOGUE_BYTES} bytes and ${MAX_CATALOGUE_TOKENS} tokens (o200k_base).\n`);
}

async function repairs(client: ToolClient, project: Project): Promise<void> {
  const source = await system.call<{ id: string; publicKey: string }>('POST', '/api/feedback/sources', {
    ...{ name: 'Bench', type: 'server', requireCaptcha: false },
    rateLimit: { perIp: 100_000, perSource: 100_000, windowSeconds: 60 },
  });
  let submitted = 0;
  const newFeedback = async () => {
    const { publicKey } = source;
    const { token } = await system.call<{ token: string }>('GET', `/feedback/widget/bootstrap?publicKey=${publicKey}`);
    const message = `It is too dark, number ${++submitted}`;
    const feedback = { publicKey, token, message, category: 'bug' };
    const { id } = await system.call<{ id: string }>('POST', '/feedback/ingest', feedback);
    return { id, sourceId: source.id };
  };
  const setting = { client, projectId: project.id, boardId: project.defaultBoardId, folder, newFeedback };
  const { refused, mended, unmended, untried } = await repair(client, await client.tools(), setting);
  for (const each of unmended) console.log(`not mended: ${each}`);
  if (untried.length > 0) console.log(`not tried: ${untried.join(', ')}`);
  const share = ((100 * mended) / refused).toFixed(1);
  printTable(
    ['wrong calls refused', 'mended', 'share'],
    [[refused, mended, `${share} % (wanted: ${MIN_MENDED * 100})`]],
  );
}

try {
  const project = await newProject('Bench');
  const client = await connect(project.id);
  if (wanted.has('play')) await playOnce();
  if (wanted.has('catalogue')) await catalogues(client);
  if (wanted.has('repair')) await repairs(client, project);
} finally {
  await Promise.all(clients.map((client) => client.close()));
  await system.stop();
  rmSync(folder, { recursive: true });
}
