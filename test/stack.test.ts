import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StackFile } from '@worktrack/stack/stack-file';
import { afterAll, describe, expect, it } from 'vitest';
import { signIn } from './support/browser-request.ts';
import { processesOf } from './support/processes.ts';

const START_TIMEOUT_MS = 150_000;
const repository = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'worktrack-stack-'));
const dataDir = join(folder, 'data');
const stackFile = join(dataDir, 'stack.json');

/** A command from package.json, run by npm as its users do, with its output so far. Signals go to npm, which passes them on. */
class Command {
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
  output = '';

  constructor(command: string, ...args: string[]) {
    this.process = spawn('npm', ['run', '--silent', command, '--', ...args], {
      cwd: repository,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.process.stdout, this.process.stderr])
      stream?.on('data', (data) => (this.output += data));
    this.ended = once(this.process, 'close').then(([code]) => code as number | null);
  }

  /** Resolves once it has printed `text`; fails with all of its output if it ends without. */
  async says(text: string): Promise<void> {
    let ended = false;
    void this.ended.then(() => (ended = true));
    await expect
      .poll(() => (ended && !this.output.includes(text) ? expect.fail(this.output) : this.output), {
        timeout: START_TIMEOUT_MS,
      })
      .toContain(text);
  }
}

const readStack = () => JSON.parse(readFileSync(stackFile, 'utf8')) as StackFile;

async function api(
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; data: Record<string, unknown> }> {
  const { baseUrl, apiKey } = readStack();
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const { data } = (await response.json()) as { data: Record<string, unknown> };
  return { status: response.status, data };
}

afterAll(async () => {
  await new Command('stop', '--data-dir', dataDir).ended;
  rmSync(folder, { recursive: true, force: true });
});

describe('npm start', { timeout: START_TIMEOUT_MS }, () => {
  let running: Command;
  let item: string;
  let first: StackFile;

  it('brings up everything, seeds it, shows the key and describes itself in stack.json, for its owner alone', async () => {
    running = new Command('start', '--port', '0', '--data-dir', dataDir);
    await running.says('Ctrl-C stops it.');
    first = readStack();
    expect(statSync(stackFile).mode & 0o777).toBe(0o600);
    expect(Object.keys(first)).toEqual([
      'baseUrl',
      'apiKey',
      'organizationId',
      'projectId',
      'boardId',
      'columns',
      'source',
      'urls',
      'pids',
    ]);
    expect(running.output).toContain(first.apiKey);
    expect(running.output).toContain(`${first.baseUrl}/mcp?projectId=${first.projectId}`);
    const code = running.output.match(/\/console\/#code=(wtc_\w+)/)?.[1] ?? '';
    expect(await signIn(first.baseUrl, { code })).toContain('wts_');

    expect((await api('GET', '/api/me')).data).toMatchObject({
      organization: { id: first.organizationId },
      user: { role: 'owner' },
    });
    const created = await api('POST', '/api/work-items', {
      title: 'Kept',
      type: 'task',
      boardId: first.boardId,
      boardColumnId: first.columns.Backlog,
    });
    expect(created).toMatchObject({ status: 201, data: { boardColumnId: first.columns.Backlog } });
    item = created.data.id as string;
    const { data: rule } = await api('POST', '/api/trust-rules', {
      ...{ name: 'CI', preset: 'generic', issuer: 'https://ci.example', claims: { sub: 'build', branch: 'main' } },
      permissions: ['work-items:read'],
    });
    expect(rule.audience).toBe(`${first.baseUrl}/trust/${rule.id}`);

    const bootstrapped = await fetch(`${first.baseUrl}/feedback/widget/bootstrap?publicKey=${first.source.publicKey}`);
    expect(await bootstrapped.json()).toMatchObject({ data: { config: { requireCaptcha: false } } });
    expect((await fetch(`${first.baseUrl}/widget/demo?publicKey=${first.source.publicKey}`)).status).toBe(200);
  });

  it('refuses a data directory that is in use, in one line', async () => {
    const second = new Command('start', '--port', '0', '--data-dir', dataDir);
    expect(await second.ended).toBe(1);
    expect(second.output).toMatch(/^The data directory .* is in use by another stack \(process \d+\)\. .*\n$/);
  });

  it('restarts a service that was killed, and a server too', async () => {
    const [keys] = first.pids.keys;
    process.kill(keys as number, 'SIGKILL');
    await running.says('keys is ready again');
    expect(readStack().pids.keys).not.toEqual([keys]);
    process.kill(first.pids.redis as number, 'SIGKILL');
    await running.says('Redis is ready again');
    expect((await api('GET', '/api/me')).status).toBe(200);
  });

  it('ends on Ctrl-C with code 0, and leaves no process and no stack.json', async () => {
    running.process.kill('SIGINT');
    running.process.kill('SIGINT');
    expect(await running.ended).toBe(0);
    expect(running.output).toMatch(/Stopped\.\n$/);
    expect(processesOf(dataDir)).toEqual([]);
    expect(existsSync(stackFile)).toBe(false);
  });

  it('finds its data again, detached, with more replicas, and does not show the key twice', async () => {
    const options = ['--port', '0', '--replicas', 'feedback=2', '--monitoring', '--detach'];
    const detached = new Command('start', '--data-dir', dataDir, ...options);
    expect(await detached.ended).toBe(0);
    expect(detached.output).toContain(`\`npm run stop -- --data-dir ${dataDir}\` stops it.`);
    expect(detached.output).not.toContain(first.apiKey);
    expect(detached.output).toContain('/console/#code=wtc_');
    const log = readFileSync(join(dataDir, 'logs', 'stack.log'), 'utf8');
    expect(log).toContain('worktrack is ready');
    expect(log).not.toContain('wtc_');
    const again = readStack();
    for (const kept of ['apiKey', 'organizationId', 'projectId', 'boardId', 'columns', 'source'] as const) {
      expect(again[kept]).toEqual(first[kept]);
    }
    expect(again.pids.feedback).toHaveLength(2);
    expect((await api('GET', `/api/work-items/${item}`)).data).toMatchObject({ title: 'Kept' });
  });

  it('with --monitoring, has a Prometheus that collects from every process, and follows one that is restarted', async () => {
    const { urls, pids } = readStack();
    const running = async () => {
      const response = await fetch(`${urls.prometheus}/api/v1/query?query=up`);
      const { data } = (await response.json()) as {
        data: { result: { metric: { job: string }; value: [0, string] }[] };
      };
      return data.result.filter(({ value }) => value[1] === '1').map(({ metric }) => metric.job);
    };
    const all = ['events', 'feedback', 'feedback', 'gateway', 'keys', 'workitems'].map((name) => `worktrack-${name}`);
    await expect.poll(async () => (await running()).toSorted()).toEqual(all);
    process.kill(pids.keys[0] as number, 'SIGKILL');
    await expect.poll(() => readStack().pids.keys).not.toEqual(pids.keys);
    // Its port is another one now.
    await expect.poll(async () => (await running()).toSorted()).toEqual(all);
    const rules = await fetch(`${urls.prometheus}/api/v1/rules?type=alert`);
    expect(await rules.text()).toContain('WorktrackAvailability');
  });

  it('detached, ends with npm run stop, which has nothing to do the second time', async () => {
    const stop = new Command('stop', '--data-dir', dataDir);
    expect(await stop.ended).toBe(0);
    expect(stop.output).toContain('Stopped.');
    expect(processesOf(dataDir)).toEqual([]);
    const again = new Command('stop', '--data-dir', dataDir);
    expect(await again.ended).toBe(0);
    expect(again.output).toContain(`No stack is running on ${dataDir}.`);
  });

  it('interrupted half-way, leaves nothing behind', async () => {
    const started = new Command('start', '--port', '0', '--data-dir', dataDir);
    await started.says('Starting the servers');
    started.process.kill('SIGTERM');
    expect(await started.ended).toBe(1);
    expect(started.output).toContain('Stopped before it was ready.');
    expect(processesOf(dataDir)).toEqual([]);
  });

  it('refuses a port that is taken, in one line, before it starts anything', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const refused = new Command('start', '--port', `${port}`, '--data-dir', dataDir);
    expect(await refused.ended).toBe(1);
    expect(refused.output).toBe(
      `Port ${port} is taken by another program. Choose another with --port, or --port 0 for any free one.\n`,
    );
    other.close();
  });
});
