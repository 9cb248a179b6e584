import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { STANDARD_COLUMNS } from '@worktrack/contracts/projects/board';
import { IDEMPOTENCY_KEY_META } from '@worktrack/contracts/tool-call-meta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectMcp, type McpClient, refusalOf, type ToolResult } from '../mcp/connect.ts';
import { COMMAND, COMPILED_ONCE } from '../support/command.ts';
import type { TestOrganization } from '../support/organization.ts';
import type { RunningSystem } from '../support/run-system.ts';
import { type System, startSystem } from '../support/system.ts';

/** No folder above it holds a stack; also under /tmp/, so files in it may be uploaded. */
const folder = mkdtempSync(join(tmpdir(), 'worktrack-bridge-'));

let system: System & RunningSystem;
let organization: TestOrganization;
beforeAll(async () => {
  system = await startSystem();
  organization = await system.newOrganization();
});
afterAll(async () => {
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const environment = (more: Record<string, string> = {}) => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  WORKTRACK_URL: system.baseUrl,
  WORKTRACK_API_KEY: organization.apiKey,
  WORKTRACK_PROJECT_ID: organization.projectId,
  ...more,
});

type Kind = 'client 2.x' | 'sdk 1.x';

const bridgeWith = (env: Record<string, string>) => ({
  command: process.execPath,
  args: [COMMAND, 'mcp'],
  env: { ...COMPILED_ONCE, ...env },
  cwd: folder,
  stderr: 'pipe' as const,
});

/** A client that has started the bridge, as Claude Desktop does. */
async function startBridge(
  env: Record<string, string> = environment(),
  kind: Kind = 'client 2.x',
): Promise<McpClient & { words(): string }> {
  const parameters = bridgeWith(env);
  const info = { name: 'test', version: '1.0.0' };
  const transport = kind === 'sdk 1.x' ? new EarlierTransport(parameters) : new StdioClientTransport(parameters);
  let words = '';
  transport.stderr?.on('data', (chunk) => (words += chunk));
  const client = kind === 'sdk 1.x' ? new EarlierClient(info) : new Client(info);
  await (client as EarlierClient).connect(transport as EarlierTransport);
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, args, _meta) => (await client.callTool({ name, arguments: args, _meta })) as ToolResult,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
    words: () => words,
  };
}

describe.each<Kind>(['client 2.x', 'sdk 1.x'])('the bridge, with %s', (kind) => {
  test('shows the tools of the service, and works', async () => {
    const bridge = await startBridge(environment(), kind);
    const direct = await connectMcp('sdk 1.x', system.baseUrl, organization.apiKey, organization.projectId);
    expect(await bridge.tools()).toEqual(await direct.tools());
    for (const word of [
      ...STANDARD_COLUMNS,
      'dependsOn',
      'claim_work_item',
      'report_progress',
      'release_work_item',
      'complete_ai_task',
      'complete_review',
      'complete_validation',
      'rework',
      'move_work_item to Done',
      'get_board shows its columns and their roles',
    ]) {
      expect(direct.instructions()).toContain(word);
    }
    expect(bridge.instructions()).toBe(direct.instructions());
    const created = await bridge.call('create_task', { title: 'By the bridge' });
    expect(created.structuredContent).toMatchObject({ title: 'By the bridge', projectId: organization.projectId });
    expect(created.content).toEqual([{ type: 'text', text: JSON.stringify(created.structuredContent) }]);
    expect(refusalOf(await bridge.call('create_task', { titel: 'x' })).message).toContain('did you mean title?');
    await expect(bridge.call('creat_task', {})).rejects.toMatchObject({ code: -32602 });
    await Promise.all([bridge.close(), direct.close()]);
  });
});

test('the bridge names the parameters that a method does not take, as the service does', async () => {
  const transport = new StdioClientTransport(bridgeWith(environment()));
  const answered = Promise.withResolvers<object>();
  transport.onmessage = (message) => 'id' in message && message.id === 2 && answered.resolve(message);
  await transport.start();
  const clientInfo = { name: 'test', version: '1.0.0' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  await transport.send({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: { cursor: 5 } });
  expect(await answered.promise).toMatchObject({
    error: {
      code: -32602,
      message: expect.stringMatching(/^tools\/list has parameters that do not fit\. params\.cursor: /),
    },
  });
  await transport.close();
});

test('a message that is too long for any call ends it with what to change', async () => {
  const { command, args, env, cwd } = bridgeWith(environment());
  const bridge = spawn(command, args, { env, cwd, stdio: ['pipe', 'ignore', 'pipe'] });
  bridge.stdin.on('error', () => undefined).write('x'.repeat(11 * 2 ** 20));
  const [words, [code]] = await Promise.all([text(bridge.stderr), once(bridge, 'exit')]);
  bridge.stdin.destroy();
  expect({ words, code }).toEqual({
    words: expect.stringMatching(/^error: A message was longer than 10 MiB\./),
    code: 2,
  });
});

test('starts without the service, about which it then says nothing', async () => {
  const bridge = await startBridge(environment({ WORKTRACK_URL: 'http://127.0.0.1:2' }));
  expect(bridge.instructions()).toBeUndefined();
  await bridge.close();
});

test('a restart of the service loses no step and repeats none', async () => {
  const bridge = await startBridge();
  const mark = randomUUID().slice(0, 8);
  const [gateway] = system.services.of('gateway');
  const [workitems] = system.services.of('workitems');
  if (!gateway || !workitems) throw new Error('The system is not whole.');
  const restart = async (part: typeof gateway.part) => {
    await part.kill();
    await part.restart();
  };
  const restarts = restart(gateway.part).then(() => restart(workitems.part));
  let isOver = false;
  void restarts.finally(() => (isOver = true));
  let made = 0;
  // One step after another, as an agent works, for as long as the service is being restarted underneath it.
  while (!isOver || made < 20) {
    const result = await bridge.call('create_task', { title: `${mark} step ${made}` });
    expect(result.isError ?? false, JSON.stringify(result)).toBe(false);
    made++;
  }
  await restarts;
  const { data } = await organization.call<{ workItems: { title: string }[]; pagination: { total: number } }>(
    'GET',
    `/api/work-items?limit=1&search=${mark}`,
  );
  expect(data.pagination.total).toBe(made);
  await bridge.close();
});

describe('the user’s mistakes are explained in clear words', () => {
  test('a wrong key', async () => {
    const bridge = await startBridge(environment({ WORKTRACK_API_KEY: 'wt_wrong' }));
    await expect(bridge.tools()).rejects.toThrow(/refuses the API key from WORKTRACK_API_KEY/);
    expect(refusalOf(await bridge.call('list_work_items'))).toMatchObject({
      code: 'API_KEY_INVALID',
      message: expect.stringContaining('WORKTRACK_API_KEY'),
    });
    expect(bridge.words()).toContain('refuses the API key from WORKTRACK_API_KEY');
    await bridge.close();
  });

  test.each([
    ['no UUID', 'my-project'],
    ['no project of the organization', randomUUID()],
  ])('a project that is %s', async (_, projectId) => {
    const bridge = await startBridge(environment({ WORKTRACK_PROJECT_ID: projectId }));
    await expect(bridge.tools()).rejects.toThrow(`WORKTRACK_PROJECT_ID is ${projectId}`);
    await bridge.close();
  });

  test('nothing that says which service to use', async () => {
    await expect(
      startBridge({ PATH: process.env.PATH ?? '', HOME: folder, WORKTRACK_DATA_DIR: folder }),
    ).rejects.toThrow();
  });
});

test('the key may be in the system’s configuration folder', async () => {
  const config = mkdtempSync(join(folder, 'config-'));
  mkdirSync(join(config, 'worktrack'));
  const { apiKey, projectId } = organization;
  writeFileSync(
    join(config, 'worktrack', 'config.json'),
    JSON.stringify({ url: `${system.baseUrl}/`, apiKey, projectId }),
  );
  const bridge = await startBridge({ PATH: process.env.PATH ?? '', HOME: folder, XDG_CONFIG_HOME: config });
  expect((await bridge.call('create_task', { title: 'Configured' })).structuredContent).toMatchObject({ projectId });
  await bridge.close();
});

describe('upload_work_item_attachment', () => {
  const newItem = async (bridge: McpClient) =>
    ((await bridge.call('create_task', { title: 'With a file' })).structuredContent as { id: string }).id;

  test('reads a file on this machine, attaches it, and deletes it', async () => {
    const bridge = await startBridge();
    const workItemId = await newItem(bridge);
    writeFileSync(join(folder, 'shot.png'), 'not really a picture');
    const metadata = { kind: 'screenshot', page: 2 };
    const { structuredContent } = await bridge.call('upload_work_item_attachment', {
      workItemId,
      filePath: 'shot.png',
      metadata,
    });
    expect(structuredContent).toMatchObject({
      attachment: { fileName: 'shot.png', mimeType: 'image/png', size: 20, metadata },
      deletedLocalFile: true,
    });
    expect(existsSync(join(folder, 'shot.png'))).toBe(false);
    const { url } = (structuredContent as { attachment: { url: string } }).attachment;
    const read = await fetch(`${system.baseUrl}${url}`, {
      headers: { authorization: `Bearer ${organization.apiKey}` },
    });
    expect(await read.text()).toBe('not really a picture');
    await bridge.close();
  });

  test('repeated with its idempotency key answers as the first time, even though the file is gone', async () => {
    const bridge = await startBridge();
    const args = { workItemId: await newItem(bridge), filePath: 'once.txt' };
    writeFileSync(join(folder, 'once.txt'), 'once');
    const meta = { [IDEMPOTENCY_KEY_META]: randomUUID() };
    const first = await bridge.call('upload_work_item_attachment', args, meta);
    expect(first.structuredContent).toMatchObject({ deletedLocalFile: true });
    const again = await bridge.call('upload_work_item_attachment', args, meta);
    expect(again.structuredContent).toEqual(first.structuredContent);
    const other = await bridge.call('upload_work_item_attachment', args, { [IDEMPOTENCY_KEY_META]: randomUUID() });
    expect(refusalOf(other).code).toBe('VALIDATION_FAILED');
    await bridge.close();
  });

  test('refuses what is not under /tmp/ or the working directory, and what is wrong', async () => {
    const bridge = await startBridge();
    const workItemId = await newItem(bridge);
    for (const [args, path] of [
      [{ workItemId, filePath: '/etc/hostname' }, 'filePath'],
      [{ workItemId, filePath: join(folder, 'missing') }, 'filePath'],
      [{ filePath: 'x' }, 'workItemId'],
    ] as const) {
      expect(refusalOf(await bridge.call('upload_work_item_attachment', args))).toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ path }],
      });
    }
    // In the service's own words.
    expect(refusalOf(await bridge.call('upload_work_item_attachment', { workItemId, filepath: 'x' })).message).toBe(
      'filePath: is required (string); filepath: is not a known field; did you mean filePath?',
    );
    writeFileSync(join(folder, 'kept.txt'), 'x');
    const refused = await bridge.call('upload_work_item_attachment', {
      workItemId: randomUUID(),
      filePath: 'kept.txt',
    });
    expect(refusalOf(refused).code).toBe('NOT_FOUND');
    expect(existsSync(join(folder, 'kept.txt'))).toBe(true);
    await bridge.close();
  });
});
