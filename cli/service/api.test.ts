import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { exportAudit } from '@worktrack/contracts/audit/operations';
import { listProjects } from '@worktrack/contracts/projects/project-operations';
import { claimWorkItem } from '@worktrack/contracts/work-items/agents/leases';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { RemoteTools } from '../bridge/remote.ts';
import { keyCommand } from '../commands/access/key.ts';
import { roleCommand } from '../commands/access/role.ts';
import { trustCommand } from '../commands/access/trust.ts';
import { userCommand } from '../commands/access/user.ts';
import { sourceCommand } from '../commands/source.ts';
import { webhookCommand } from '../commands/webhook.ts';
import { itemCommand } from '../commands/work/item.ts';
import { labelCommand } from '../commands/work/label.ts';
import { projectCommand } from '../commands/work/project.ts';
import { viewCommand } from '../commands/work/view.ts';
import { EXIT } from '../failure.ts';
import { api } from './api.ts';
import { chooseService } from './service.ts';

const folder = mkdtempSync(join(tmpdir(), 'worktrack-api-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ends: (() => void)[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  for (const end of ends.splice(0)) end();
});

/** Whatever stands at the address, such as a proxy. */
async function serving(respond: RequestListener) {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  return { WORKTRACK_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, WORKTRACK_API_KEY: 'wt_k' };
}

const answering = (data: unknown) =>
  serving((_, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ success: true, data })),
  );

const brokenOff = () =>
  serving((_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half of it\n', () => response.destroy());
  });

test.each([
  [502, EXIT.unreachable],
  [503, EXIT.unreachable],
  [500, EXIT.unreachable],
  [404, EXIT.usage],
  [200, EXIT.usage],
])('a page with HTTP %i, which is not worktrack’s, ends with %i', async (status, exitCode) => {
  const environment = await serving((_, response) => response.writeHead(status, { 'retry-after': '0' }).end('<html>'));
  await expect(api(environment).call(listProjects, {})).rejects.toMatchObject({ exitCode });
});

test('after too many requests it waits as it is asked to, and says so, but not for longer than a minute', async () => {
  const problem = vi.spyOn(console, 'error').mockReturnValue();
  const waits = ['0.2', '61'];
  const askedAtMs: number[] = [];
  const error = { code: 'RATE_LIMITED', message: 'Enough for today.', requestId: 'r' };
  const environment = await serving((_, response) => {
    askedAtMs.push(performance.now());
    const headers = { 'retry-after': waits[askedAtMs.length - 1] };
    response.writeHead(429, headers).end(JSON.stringify({ success: false, error }));
  });
  await expect(api(environment).call(listProjects, {})).rejects.toMatchObject({
    exitCode: EXIT.refused,
    message: expect.stringContaining('Enough for today.'),
  });
  expect(problem.mock.calls).toEqual([['Too many requests: trying again in 0.2 s, as the service asks.']]);
  const [first = 0, second = 0] = askedAtMs;
  expect(second - first).toBeGreaterThanOrEqual(199);
  expect(askedAtMs).toHaveLength(2);
});

test('a redirect is not followed: it would lose the key, and turn a write into a read', async () => {
  const asked: string[] = [];
  const environment = await serving((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(301, { location: '/elsewhere' }).end();
  });
  await expect(api(environment).call(claimWorkItem, { agent: 'a' })).rejects.toMatchObject({
    exitCode: EXIT.usage,
    message: expect.stringContaining('(HTTP 301). Check WORKTRACK_URL'),
  });
  expect(asked).toEqual(['POST /api/work-items/claim']);
});

test('a claim that waits is given more time than it waits', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  const environment = await answering({ claimed: false });
  await api(environment).call(claimWorkItem, { agent: 'a', waitSeconds: 55 });
  expect(Math.min(...timeout.mock.calls.map(([ms]) => ms))).toBeGreaterThan(65_000);
});

test('what breaks off is not taken for all', async () => {
  const read = await api(await brokenOff()).download(exportAudit, {});
  const pieces: string[] = [];
  const reading = (async () => {
    for await (const piece of read) pieces.push(Buffer.from(piece).toString());
  })();
  await expect(reading).rejects.toMatchObject({ exitCode: EXIT.unreachable });
  expect(pieces.join('')).toBe('half of it\n');
});

test('a download that breaks off leaves no part of a file, which would be in the way of the next one', async () => {
  for (const [name, value] of Object.entries(await brokenOff())) vi.stubEnv(name, value);
  const path = join(folder, 'build.log');
  const command = itemCommand().exitOverride();
  const downloading = command.parseAsync(['download', 'W-T-1', 'build.log', '--output', path], { from: 'user' });
  await expect(downloading).rejects.toMatchObject({ exitCode: EXIT.unreachable });
  expect(existsSync(path)).toBe(false);
});

test('--field says on standard error that there are more', async () => {
  const workItems = [{ taskId: 'W-T-1' }];
  for (const [name, value] of Object.entries(await answering({ workItems, nextCursor: 'next' })))
    vi.stubEnv(name, value);
  const printed = vi.spyOn(console, 'log').mockReturnValue();
  const problem = vi.spyOn(console, 'error').mockReturnValue();
  await itemCommand().parseAsync(['list', '--field', 'taskId'], { from: 'user' });
  expect(printed.mock.calls).toEqual([['W-T-1']]);
  expect(problem.mock.calls).toEqual([['There are more: --cursor next']]);
});

test('null leaves nothing of a list', async () => {
  let body: unknown;
  const environment = await serving(async (request, response) => {
    body = await json(request);
    response.end(JSON.stringify({ success: false, error: { code: 'CONFLICT', message: 'Enough.', requestId: 'r' } }));
  });
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const update = ['update', 'W-T-1', '--depends-on', 'null', '--labels', 'null', 'Bug'];
  await expect(itemCommand().parseAsync(update, { from: 'user' })).rejects.toThrow('Enough.');
  expect(body).toEqual({ dependsOn: [], labels: ['null', 'Bug'] });
});

test('what is false is said with no-', async () => {
  const asked: unknown[] = [];
  const environment = await serving(async (request, response) => {
    asked.push(request.method === 'GET' ? request.url?.split('?')[1] : await json(request));
    const data = { workItems: [], pagination: {}, nextCursor: null };
    response.end(JSON.stringify({ success: true, data }));
  });
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  vi.spyOn(console, 'log').mockReturnValue();
  for (const option of ['--overdue', '--no-overdue']) {
    await itemCommand().parseAsync(['list', option, '--json'], { from: 'user' });
  }
  for (const option of ['--shared', '--no-shared']) {
    await viewCommand().parseAsync(['update', 'v', option], { from: 'user' });
  }
  expect(asked).toEqual(['overdue=true', 'overdue=false', { shared: true }, { shared: false }]);
});

test('the help of a change of a view names no default project', () => {
  const update = viewCommand().commands.find((command) => command.name() === 'update');
  expect(update?.helpInformation()).toContain('--project-id');
  expect(update?.helpInformation()).not.toContain('default');
});

test.each([
  [keyCommand, ['rotate', 'self', '--overlap', '8d'], /It must be at most 7d\./],
  [trustCommand, ['update', 'r', '--ttl', '90m'], /It must be at most 1h\./],
  [trustCommand, ['update', 'r', '--ttl', '59s'], /It must be at least 1m\./],
])('a time is refused in units of time: %#', async (command, args, message) => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const made = command();
  for (const each of made.commands) each.exitOverride();
  await expect(made.parseAsync(args, { from: 'user' })).rejects.toThrow(message);
});

test.each([
  ['item', itemCommand],
  ['label', labelCommand],
  ['project', projectCommand],
  ['role', roleCommand],
  ['source', sourceCommand],
  ['trust', trustCommand],
  ['user', userCommand],
  ['view', viewCommand],
  ['webhook', webhookCommand],
])('%s update, without anything to change, is refused before the service is asked', async (noun, command) => {
  const updating = command().parseAsync(['update', 'x'], { from: 'user' });
  const message = `Say what to change; \`worktrack ${noun} update --help\` lists it.`;
  await expect(updating).rejects.toMatchObject({ exitCode: EXIT.usage, message });
});

test('events are sent again from any place of a long log', async () => {
  const asked: unknown[] = [];
  const environment = await serving(async (request, response) => {
    asked.push(await json(request));
    response.end(JSON.stringify({ success: true, data: { replayed: 0 } }));
  });
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  vi.spyOn(console, 'log').mockReturnValue();
  await webhookCommand().parseAsync(['replay', 'w', '--after', '12345678901'], { from: 'user' });
  expect(asked).toEqual([{ after: 12_345_678_901 }]);
});

test('an address below the service is a wrong one, and what to change is not the project', async () => {
  const error = { code: 'NOT_FOUND', message: 'In other words.', reason: 'no_route', requestId: 'r' };
  const environment = await serving((_, response) => {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: false, error }));
  });
  const below = { ...environment, WORKTRACK_URL: `${environment.WORKTRACK_URL}/api`, WORKTRACK_PROJECT_ID: 'p' };
  const message = expect.stringMatching(/\/api answers, .*Check WORKTRACK_URL: it ends before \/api/);
  await expect(api(below).call(listProjects, {})).rejects.toMatchObject({ exitCode: EXIT.usage, message });
  const bridged = new RemoteTools(chooseService(below)).list(new AbortController().signal);
  await expect(bridged).rejects.toMatchObject({ message });
});

test('an export is refused in the words of the command line', async () => {
  const error = { code: 'VALIDATION_FAILED', message: 'from: must be a day.', requestId: 'r' };
  const environment = await serving((_, response) =>
    response.writeHead(400).end(JSON.stringify({ success: false, error })),
  );
  await expect(api(environment).download(exportAudit, { from: 'x' })).rejects.toThrow(/^--from: must be a day\./);
});

test('a key that was copied from an example is named, not the service', () => {
  const environment = { WORKTRACK_URL: 'http://127.0.0.1:2', WORKTRACK_API_KEY: 'wt_…' };
  expect(() => api(environment)).toThrow(
    expect.objectContaining({
      exitCode: EXIT.usage,
      message: expect.stringMatching(/^WORKTRACK_API_KEY holds no API key/),
    }),
  );
});

test('why nothing answers is told in one line', async () => {
  const { WORKTRACK_URL, ...rest } = await answering({});
  const asked = api({ ...rest, WORKTRACK_URL: WORKTRACK_URL.replace('http:', 'https:') }).call(listProjects, {});
  await expect(asked).rejects.toMatchObject({ exitCode: EXIT.unreachable, message: expect.not.stringContaining('\n') });
});

test.each([[['--title', 'x']], [['--file', 'plan.json']]])(
  'nothing is created with %j if --field is wrong',
  async (what) => {
    const asked: unknown[] = [];
    const environment = await serving((request, response) => {
      asked.push(request.url);
      response.end();
    });
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const creating = itemCommand().parseAsync(['create', ...what, '--field', 'taskID'], { from: 'user' });
    await expect(creating).rejects.toMatchObject({
      exitCode: EXIT.usage,
      message: expect.stringMatching(/^There is no field taskID; there are id, taskId, /),
    });
    expect(asked).toEqual([]);
  },
);
