import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSource, visitor } from '../feedback/visitor.ts';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';

const MAX_FILE_BYTES = 400_000;
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'worktrack-items-'));

let system: System;
let organization: TestOrganization;
/** The command as the gateway serves it, alone in a folder. */
let file: string;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
  file = join(folder, 'worktrack.mjs');
  writeFileSync(file, Buffer.from(await (await fetch(`${system.baseUrl}/cli/worktrack.mjs`)).arrayBuffer()));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const environment = () => ({
  PATH: process.env.PATH,
  WORKTRACK_URL: system.baseUrl,
  WORKTRACK_API_KEY: organization.apiKey,
  WORKTRACK_PROJECT_ID: organization.projectId,
});

function run(args: readonly string[], { input = '', env = {} as Record<string, string> } = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [file, ...args],
      { cwd: folder, env: { ...environment(), ...env } },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

async function json<T = Record<string, unknown>>(args: readonly string[], input?: string): Promise<T> {
  const ended = await run([...args, '--json'], { input });
  expect(ended, ended.stderr).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ended.stdout) as T;
}

describe('the command as one file', () => {
  test('has a hash next to it, at most 400 kB, and needs nothing installed', async () => {
    const response = await fetch(`${system.baseUrl}/cli/worktrack.mjs`);
    const code = Buffer.from(await response.arrayBuffer());
    const hash = createHash('sha256').update(code).digest('hex');
    expect(await (await fetch(`${system.baseUrl}/cli/worktrack.mjs.sha256`)).text()).toBe(`${hash}  worktrack.mjs\n`);
    expect(code.length).toBeLessThanOrEqual(MAX_FILE_BYTES);
    const etag = response.headers.get('etag') ?? '';
    const again = await fetch(`${system.baseUrl}/cli/worktrack.mjs`, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
    expect(readdirSync(folder)).toEqual(['worktrack.mjs']);
    const imports = [...code.toString().matchAll(/(?:from|import)\s*["']([^"'./][^"']*)["']/g)].map(
      ([, name]) => name as string,
    );
    expect(
      imports.filter(
        (name) =>
          !name.startsWith('node:') &&
          !['process', 'util', 'child_process', 'path', 'fs', 'events', 'os'].includes(name),
      ),
    ).toEqual([]);
  });

  test('contains all commands but org', async () => {
    const { stdout } = await run(['--help']);
    for (const command of ['item', 'project', 'feedback', 'user', 'key', 'source', 'mcp']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
    }
    expect(stdout).not.toMatch(/^ {2}org /m);
  });

  test('runs on the oldest supported Node, if there is one', async ({ skip }) => {
    const oldest = await new Promise<string>((resolve) => {
      execFile('/usr/bin/node', ['--version'], (_error, stdout) => resolve(stdout ?? ''));
    });
    if (!oldest.startsWith('v20.')) return skip('There is no Node 20 at /usr/bin/node.');
    const listed = await new Promise<string>((resolve) => {
      execFile('/usr/bin/node', [file, 'project', 'list', '--json'], { env: environment() }, (_error, stdout) =>
        resolve(stdout),
      );
    });
    expect(JSON.parse(listed)).toMatchObject({ projects: [{ id: organization.projectId }] });
  });

  test('serves the MCP tools over stdio, and reads the files of its machine', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const env = { ...environment(), PATH: process.env.PATH ?? '' };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [file, 'mcp'], env, cwd: folder }),
    );
    expect(client.getServerVersion()).toMatchObject({ name: 'worktrack' });
    const task = await client.callTool({ name: 'create_task', arguments: { title: 'With a file' } });
    writeFileSync(join(folder, 'notes.txt'), 'from this machine');
    const uploaded = await client.callTool({
      name: 'upload_work_item_attachment',
      arguments: { workItemId: (task.structuredContent as { id: string }).id, filePath: 'notes.txt' },
    });
    expect(uploaded.structuredContent, JSON.stringify(uploaded)).toMatchObject({
      attachment: { fileName: 'notes.txt', size: 17 },
      deletedLocalFile: true,
    });
    await client.close();
  });
});

test.each([
  [{ WORKTRACK_API_KEY: 'wt_nonsense' }, /API_KEY_INVALID/],
  [{ WORKTRACK_URL: 'ftp://127.0.0.1' }, /not an http/],
])('what was configured wrongly ends with 2: %j', async (env, message) => {
  const ended = await run(['project', 'list'], { env });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toMatch(message);
});

test('the version is printed', async () => {
  expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

describe('work items', () => {
  test('are moved only from a column, or not from one, which is named as on any board', async () => {
    const { data: project } = await organization.call<{ id: string }>('POST', '/api/projects', { name: 'Apart' });
    const { data: board } = await organization.call<{ id: string }>('POST', `/api/projects/${project.id}/boards`, {
      name: 'German',
      columns: ['Zu erledigen', 'In Arbeit', 'Fertig'].map((name) => ({ name })),
    });
    const place = ['--project-id', project.id, '--board-id', board.id, '--board-column-id', 'Fertig'];
    const { taskId } = await json<WorkItem>(['item', 'create', '--title', 'Reopened', ...place]);
    const move = ['item', 'move', taskId, '--board-column-id', 'To Do', '--only-from'];
    expect((await run([...move, 'In Progress'])).stdout).toBe(`${taskId} stays in Fertig.\n`);
    expect((await run([...move, 'Done'])).stdout).toBe(`${taskId} moved from Fertig to Zu erledigen.\n`);
    const wrong = await run([...move, 'Nowhere']);
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toContain('--only-from: board "German" has no column "Nowhere"');
    const away = ['item', 'move', taskId, '--board-column-id', 'Done', '--not-from'];
    expect((await run([...away, 'To Do'])).stdout).toBe(`${taskId} stays in Zu erledigen.\n`);
    expect((await run([...away, 'Done'])).stdout).toBe(`${taskId} moved from Zu erledigen to Fertig.\n`);
  });

  test('are created, shown, listed, changed, moved and commented', async () => {
    const created = await json<WorkItem>(
      [
        'item',
        'create',
        '--title',
        'From a script',
        '--description',
        '-',
        '--priority',
        'high',
        '--metadata',
        '{"build":7}',
      ],
      'Line one\nLine two\n',
    );
    expect(created).toMatchObject({
      ...{ type: 'task', priority: 'high', columnName: 'Backlog', projectId: organization.projectId },
      ...{ description: 'Line one\nLine two\n', metadata: { build: 7 } },
    });
    const { taskId } = created;
    expect(await json(['item', 'get', taskId.toLowerCase()])).toEqual({
      ...created,
      ...{ parent: null, dependencies: [], comments: [] },
    });
    writeFileSync(join(folder, 'notes.md'), '# Notes');
    const changed = await json<WorkItem>([
      'item',
      'update',
      created.id,
      '--title',
      'Renamed',
      '--description-file',
      'notes.md',
      '--assignee',
      'ada',
    ]);
    expect(changed).toMatchObject({ title: 'Renamed', description: '# Notes', assignee: 'ada', version: 2 });
    // Also with fields written as in the reference.
    const moved = await json(['item', 'move', taskId, '--boardColumnId', 'in progress', '--position', 'first']);
    expect(moved).toMatchObject({ fromColumn: 'Backlog', toColumn: 'In Progress' });
    expect(await json(['item', 'comment', taskId, '--text', '-'], 'Well done')).toMatchObject({
      event: { data: { text: 'Well done' } },
    });
    const listed = await json<{ workItems: WorkItem[] }>([
      'item',
      'list',
      '--board-column-id',
      'In Progress',
      '--assignee',
      'ada',
      '--limit',
      '5',
    ]);
    expect(listed.workItems.map((item) => item.taskId)).toEqual([taskId]);

    const inWords = await run(['item', 'list', '--search', 'renamed']);
    expect(inWords.stdout).toMatch(
      new RegExp(
        `^TASK ID +TYPE +COLUMN +PRIORITY +ASSIGNEE +TITLE\n${taskId} +task +In Progress +high +ada +Renamed\n`,
      ),
    );
    expect((await run(['item', 'get', taskId])).stdout).toMatch(
      /^Task ID +W-T-\d+\nTitle +Renamed\n[\s\S]*\n# Notes\n\n.* {2}Well done\n$/,
    );
    expect((await run(['item', 'move', taskId, '--board-column-id', 'Done'])).stdout).toBe(
      `${taskId} moved from In Progress to Done.\n`,
    );
    expect(await json(['item', 'update', taskId, '--parent-id', 'null', '--version', '4'])).toMatchObject({
      version: 4,
    });
  });

  test('have files attached, from a path and from standard input', async () => {
    const { taskId } = await json<WorkItem>(['item', 'create', '--title', 'With files']);
    writeFileSync(join(folder, 'build.log'), 'It failed.');
    const attached = await json([
      'item',
      'attach',
      taskId,
      'build.log',
      '--uploaded-by',
      'CI',
      '--metadata',
      '{"build":7}',
    ]);
    expect(attached).toMatchObject({ fileName: 'build.log', size: 10, uploadedBy: 'CI', metadata: { build: 7 } });
    const piped = await json(['item', 'attach', taskId, '-', '--file-name', 'piped.txt'], 'from a pipe');
    expect(piped).toMatchObject({ fileName: 'piped.txt', size: 11 });
    const claimed = await json(['item', 'claim', taskId, '--agent', 'script']);
    expect(claimed).toMatchObject({ attachments: ['build.log', 'piped.txt'] });
    expect(await run(['item', 'attach', taskId, 'missing.log'])).toMatchObject({
      code: 2,
      stderr: 'error: missing.log cannot be read: there is no such file.\n',
    });
    expect(await run(['item', 'attach', taskId, '-'])).toMatchObject({ code: 2 });
  });

  test('are claimed, released and completed', async () => {
    const { taskId } = await json<WorkItem>(['item', 'create', '--title', 'To be done']);
    const claimed = await json<{ lease: { token: string } }>(['item', 'claim', taskId, '--agent', 'script']);
    expect(claimed).toMatchObject({ claimed: true, workItem: { taskId, columnName: 'In Progress' } });
    const none = await run(['item', 'claim', taskId, '--agent', 'another', '--json']);
    expect(none).toMatchObject({ code: 4, stderr: '' });
    expect(JSON.parse(none.stdout)).toMatchObject({ claimed: false, lease: null });
    expect(await run(['item', 'claim', taskId, '--agent', 'another'])).toMatchObject({
      code: 4,
      stdout: expect.stringContaining(`${taskId} is held by script`),
    });
    const released = await json([
      'item',
      'release',
      taskId,
      '--lease-token',
      claimed.lease.token,
      '--board-column-id',
      'To Do',
    ]);
    expect(released).toMatchObject({ released: true, workItem: { columnName: 'To Do' } });
    const second = await json<{ lease: { token: string } }>(['item', 'claim', taskId, '--agent', 'script']);
    const report = ['--model', 'gpt-4o', '--total-tokens', '1200', '--lease-token', second.lease.token];
    await json([
      'item',
      'progress',
      taskId,
      '--lease-token',
      second.lease.token,
      '--note',
      'Nearly',
      '--checkpoint',
      '3',
    ]);
    expect(await json(['item', 'complete', taskId, ...report])).toMatchObject({
      movedTo: 'Review',
      totalTokens: 1_200,
    });
    await json(['item', 'comment', taskId, '--text', 'As discussed']);
    await json(['item', 'review', taskId, '--result', 'fail', '--summary', 'Too slow', '--issues', 'The list']);
    const third = await run(['item', 'claim', taskId, '--agent', 'another']);
    expect(third).toMatchObject({ code: 0, stderr: '' });
    expect(third.stdout.split('\n').slice(-6)).toEqual([
      ...['Sent back: Too slow', '- The list', 'Worked on before by script (completed): Nearly', 'Checkpoint: 3'],
      ...['Comment: As discussed', ''],
    ]);
  });

  test('are kept by their agent with heartbeats, which bring answers and say when to stop', async () => {
    const epic = await json<WorkItem>(['item', 'create', '--title', 'Costly', '--type', 'epic']);
    const { taskId } = await json<WorkItem>(['item', 'create', '--title', 'Long', '--parent-id', epic.taskId]);
    const { lease } = await json<{ lease: { token: string } }>(['item', 'claim', taskId, '--agent', 'script']);
    const beat = ['item', 'progress', taskId, '--lease-token', lease.token];
    const asked = await json([
      ...beat,
      '--state',
      'awaiting_input',
      '--question',
      'Which?',
      '--checkpoint',
      '["a", 1]',
    ]);
    expect(asked).toMatchObject({ answers: [], stop: false, lease: { state: 'awaiting_input', token: lease.token } });
    await json(['item', 'answer', taskId, '--text', 'The second']);
    await json(['budget', 'set', epic.taskId, '--limit-usd', '1']);
    const spent = await run([...beat, '--state', 'working', '--model', 'gpt-4o', '--cost-usd', '1']);
    expect(spent).toMatchObject({ code: 0, stderr: '' });
    expect(spent.stdout).toMatch(/^\S+ is held until .* \(UTC\)\.\nAnswer: The second\nStop: a budget is used up/);
    expect(await run([...beat, '--checkpoint', 'not JSON'])).toMatchObject({ code: 2 });
    await json(['item', 'release', taskId, '--lease-token', lease.token]);
    await json(['budget', 'set', epic.taskId, '--limit-usd', 'null']);
    const next = await json(['item', 'claim', taskId, '--agent', 'another']);
    expect(next).toMatchObject({ previous: { agent: 'script', checkpoint: ['a', 1] } });
  });

  test.runIf(process.platform === 'linux')('are not said to be refused when the answer cannot be written', async () => {
    const command = spawn(process.execPath, [file, 'item', 'create', '--title', 'Written nowhere'], {
      cwd: folder,
      env: environment(),
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    });
    const [stderr, [code]] = await Promise.all([text(command.stderr as Readable), once(command, 'exit')]);
    expect(stderr).toMatch(/^error: The command was carried out, but its output cannot be written: ENOSPC.*\n$/);
    expect(code).toBe(2);
    expect((await run(['item', 'list', '--search', 'Written nowhere', '--field', 'title'])).stdout).toContain(
      'Written',
    );
  });

  test('are refused in the words of the command line', async () => {
    const words = async (args: readonly string[]) => (await run(args)).stderr;
    expect(await words(['item', 'claim', 'W-T-99999', '--agent', ''])).toMatch(/^error: --agent: /);
    expect(await words(['item', 'claim', ...Array<string>(1001).fill('W-T-1'), '--agent', 'a'])).toMatch(
      /^error: <items>: must have at most/,
    );
    expect(await words(['item', 'list', '--priority', 'urgent', 'hight'])).toMatch(
      /^error: --priority \(value 2\): must be one of .*did you mean "high"/,
    );
    const judged = ['item', 'validate', 'W-T-1', '--result', 'pass', '--test-results', '{"total": "x", "passed": 1}'];
    expect(await words(judged)).toMatch(/--test-results \(total\): is not a known field/);
    const label = await words(['item', 'create', '--title', 'x', '--labels', 'none such']);
    expect(label).toMatch(/^error: --labels: .*`worktrack label create` adds one/);
    const following = await words(['events', 'tail', '--types', 'nope', '--project-id', 'nope']);
    expect(following).toMatch(
      /^error: --types: is not a type of event.*--project-id: must be a UUID; `worktrack project list`/,
    );
    const { taskId } = await json<WorkItem>(['item', 'create', '--title', 'Held']);
    const { data: other } = await organization.call<{ key: string }>('POST', '/api/api-keys', { name: 'Other' });
    await json(['item', 'claim', taskId, '--agent', 'holder']);
    const held = await run(['item', 'move', taskId, '--board-column-id', 'To Do'], {
      env: { WORKTRACK_API_KEY: other.key },
    });
    expect(held.stderr).toMatch(/pass --take-over\. \(CONFLICT/);
    const elsewhere = '01890000-0000-7000-8000-000000000000';
    const plan = { input: JSON.stringify([{ title: 'x', type: 'task' }]) };
    const unknown = await run(['item', 'create', '--file', '-', '--project-id', elsewhere], plan);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr.match(/there is no project/gi)).toHaveLength(1);
    expect(unknown.stderr).toContain('`worktrack project list`');
    expect(unknown.stderr).not.toMatch(/list_projects|GET /);
  });

  test.each([
    ['a project that is not there', '01890000-0000-7000-8000-000000000000'],
    ['what is no id', 'my project'],
  ])('end with 2 and say so when WORKTRACK_PROJECT_ID is %s', async (_, projectId) => {
    const env = { WORKTRACK_PROJECT_ID: projectId };
    for (const args of [
      ['item', 'list'],
      ['item', 'create', '--title', 'Nowhere'],
      ['item', 'claim', '--agent', 'a'],
      ['budget', 'set', '--limit-usd', '5'],
      ['label', 'list'],
    ]) {
      const stderr = expect.stringContaining(`error: WORKTRACK_PROJECT_ID is ${projectId}: `);
      expect(await run(args, { env }), args.join(' ')).toMatchObject({ code: 2, stderr });
    }
    const given = await run(['label', 'list', '--project-id', projectId]);
    expect(given).toMatchObject({ code: 1, stderr: expect.not.stringContaining('WORKTRACK_PROJECT_ID') });
  });

  test('a byte order mark, with which Windows begins a text, is no part of a file, nor of the configuration', async () => {
    const { apiKey, projectId } = organization;
    const config = join(folder, 'windows');
    mkdirSync(join(config, 'worktrack'), { recursive: true });
    const kept = JSON.stringify({ url: system.baseUrl, apiKey, projectId });
    writeFileSync(join(config, 'worktrack', 'config.json'), `\uFEFF${kept}`);
    writeFileSync(join(folder, 'windows.json'), '\uFEFF[{ "title": "From Windows", "type": "task" }]');
    const env = { WORKTRACK_URL: '', WORKTRACK_API_KEY: '', XDG_CONFIG_HOME: config };
    const made = await run(['item', 'create', '--file', 'windows.json'], { env });
    expect(made, made.stderr).toMatchObject({ code: 0 });
    writeFileSync(join(folder, 'log.jsonl'), '');
    writeFileSync(join(folder, 'keys.json'), '\uFEFF{ "keys": [] }');
    expect(await run(['audit', 'verify', 'log.jsonl', '--keys', 'keys.json'])).toMatchObject({ code: 0 });
  });

  test('are created from a file, all or none of them', async () => {
    const plan = JSON.stringify([
      { ref: 'epic', title: 'Planned', type: 'epic' },
      { ref: 'one', title: 'First', type: 'task', parentId: '#epic', externalId: 'plan/1' },
      { title: 'Second', type: 'task', parentId: '#epic', dependsOn: ['#one'] },
    ]);
    const made = await json<{ items: { id: string; taskId: string }[] }>(['item', 'create', '--file', '-'], plan);
    const [epic, one, two] = made.items.map(({ taskId }) => taskId);
    writeFileSync(join(folder, 'plan.json'), JSON.stringify({ items: [{ title: 'x', type: 'tusk' }] }));
    const refused = await run(['item', 'create', '--file', 'plan.json']);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: item 1 of plan\.json, type: must be one of/),
    });
    expect(await run(['item', 'create', '--file', '-'], { input: '- title: x' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('standard input is not JSON'),
    });
    expect(await run(['item', 'create', '--file', '-'], { input: '[{ "title": "x" }' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at position 17'),
    });
    expect((await run(['item', 'create', '--file', '-'], { input: plan })).stdout).toMatch(
      new RegExp(`${one} +one +was there`),
    );

    await run(['item', 'claim', String(one), '--agent', 'script']);
    const shown = (await run(['item', 'get', String(two)])).stdout;
    expect(shown).toMatch(
      new RegExp(`Parent +${epic} Planned \\(In Progress\\)\nDepends on +${one} First \\(In Progress\\)`),
    );
    await run(['item', 'comment', String(one), '--text', 'Half of it is done.']);
    expect((await run(['item', 'get', String(one)])).stdout).toMatch(
      /Held by +script until .*\(working\)[\s\S]*Half of it is done\./,
    );
    const all = await json(['item', 'get', String(two)]);
    expect(all).toMatchObject({ parent: { taskId: epic }, dependencies: [{ taskId: one }], comments: [] });
  });

  test('are reviewed, validated and deleted; sessions are recorded, and attachments come back', async () => {
    const { taskId } = await json<WorkItem>([
      'item',
      'create',
      '--title',
      'To be judged',
      '--board-column-id',
      'Review',
    ]);
    expect((await run(['item', 'review', taskId, '--result', 'pass', '--summary', 'Good'])).stdout).toBe(
      `${taskId} moved to Testing.\n`,
    );
    const report = ['--model', 'gpt-4o', '--total-tokens', '10'];
    const validated = await run(['item', 'validate', taskId, ...report]);
    expect(validated).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Warning: .*testResults/) });
    const session = await json(['item', 'session', taskId, ...report]);
    expect(session).toMatchObject({ totalTokens: 10 });
    await json(['item', 'attach', taskId, '-', '--file-name', 'notes.txt'], 'what was found');
    expect(await json(['item', 'attachments', taskId])).toMatchObject([{ fileName: 'notes.txt' }]);
    expect((await run(['item', 'download', taskId, 'notes.txt', '--output', '-'])).stdout).toBe('what was found');
    expect((await run(['item', 'download', taskId, 'notes.txt'])).stdout).toBe('Saved as notes.txt.\n');
    expect(await run(['item', 'download', taskId, 'notes.txt'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('already'),
    });
    expect(await json(['item', 'delete', taskId])).toMatchObject({ deleted: true });
    expect(await run(['item', 'download', taskId, 'notes.txt'])).toMatchObject({ code: 1 });
  });

  test('are created once per idempotency key, and per external id', async () => {
    const once = ['item', 'create', '--title', 'Once', '--idempotency-key', 'build-7'];
    const [first, second] = [await json<WorkItem>(once), await json<WorkItem>(once)];
    expect(second.id).toBe(first.id);
    const failed = ['item', 'create', '--title', 'The build fails', '--external-id', 'build main'];
    const [bug, again] = [await json<WorkItem>(failed), await json<WorkItem>(failed)];
    expect(bug).toMatchObject({ externalId: 'build main', created: true });
    expect(again).toMatchObject({ id: bug.id, created: false });
    const found = await json<{ workItems: WorkItem[] }>(['item', 'list', '--external-id', 'build main']);
    expect(found.workItems.map(({ id }) => id)).toEqual([bug.id]);
  });

  test('are created if the command can tell which project is meant, otherwise it says how to specify it', async () => {
    const second = await organization.call<{ id: string }>('POST', '/api/projects', { name: 'Second' });
    const made = await json(['item', 'create', '--title', 'There', '--project-id', second.data.id]);
    expect(made).toMatchObject({ projectId: second.data.id });
    const lost = await run(['item', 'create', '--title', 'Nowhere'], { env: { WORKTRACK_PROJECT_ID: '' } });
    expect(lost).toMatchObject({ code: 2, stdout: '' });
    expect(lost.stderr).toMatch(/--project-id .*worktrack project list/);
  });

  test.each([
    [['item', 'get', 'W-T-99999'], 1, /W-T-99999.*NOT_FOUND/],
    [['item', 'move', 'W-T-1', '--board-column-id', 'Nowhere'], 1, /has no column "Nowhere"/],
    [['item', 'move', 'W-T-1'], 2, /required option '--board-column-id <value>'/],
    [['item', 'update', 'W-T-1'], 2, /Say what to change/],
    [['item', 'create'], 2, /Pass --title, or --file/],
    [['item', 'create', '--title', 'x', '--external-id', ' '], 1, /^error: --external-id: must/],
    [['item', 'get', 'nonsense'], 1, /^error: <item>: must be a UUID/],
    [['item', 'create', '--title', 'x', '--metadata', 'seven'], 2, /JSON object/],
    [['item', 'create', '--title', 'x', '--description', 'y', '--description-file', 'z'], 2, /not both/],
    [['item', 'list', '--limit', 'ten'], 2, /It must be a number/],
    [['item', 'list', '--limit', '101'], 1, /limit: must be at most 100/],
    [['item', 'list', '--serch', 'x'], 2, /Did you mean --search/],
  ])('worktrack %j ends with %i', async (args, code, message) => {
    const ended = await run(args);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toMatch(message);
  });
});

describe('feedback and projects', () => {
  test('are created, changed and linked; budgets are set', async () => {
    const project = await json<{ id: string; gates: string }>(['project', 'create', 'Shop', '--gates', 'enforce']);
    expect(project.gates).toBe('enforce');
    const renamed = await run(['project', 'update', project.id, '--key', 'W']);
    expect(renamed.stderr).toMatch(/^Warning: Another project has the key W/);
    const warned = await run(['project', 'update', project.id, '--key', 'SHOP', '--json']);
    expect([warned.stderr, JSON.parse(warned.stdout).key]).toEqual(['', 'SHOP']);
    expect(
      (await run(['budget', 'set', '--project-id', project.id, '--limit-usd', '5', '--period', 'day'])).stdout,
    ).toBe('$5 (day), of which $0 are spent: $0 recorded, $0 in flight.\n');
    expect((await run(['budget', 'set', '--project-id', project.id, '--limit-usd', 'null'])).stdout).toBe(
      'There is no limit.\n',
    );
    const idea = await json<WorkItem>(['item', 'create', '--title', 'An idea', '--type', 'idea']);
    const source = await newSource(organization, {});
    const { data } = await visitor(system.baseUrl).submit(source, { message: 'More of it', category: 'bug' });
    expect((await run(['feedback', 'link', data.id, idea.taskId])).stdout).toBe(
      `${idea.taskId} has 1 linked feedback items.\n`,
    );
    expect((await run(['feedback', 'unlink', data.id, idea.taskId])).stdout).toBe(
      `${idea.taskId} has 0 linked feedback items.\n`,
    );
    for (const command of ['link', 'unlink']) {
      expect((await run(['feedback', command, data.id, 'idea'])).stderr).toMatch(/^error: <idea>: must be a UUID/);
    }
  });

  test('are listed, and feedback gets a status', async () => {
    const source = await newSource(organization, {});
    const { data } = await visitor(system.baseUrl).submit(source, {
      message: 'Nice\u001b[31m page',
      category: 'praise',
    });
    const listed = await json<{ items: { id: string }[] }>(['feedback', 'list', '--category', 'praise']);
    expect(listed.items.map(({ id }) => id)).toEqual([data.id]);
    expect((await run(['feedback', 'list'])).stdout).not.toContain('\u001b');
    expect(await json(['feedback', 'status', data.id, 'triaged'])).toMatchObject({ status: 'triaged' });
    expect(await run(['feedback', 'status', data.id, 'great'])).toMatchObject({ code: 2 });
    expect((await run(['project', 'list'])).stdout).toMatch(/^ID +KEY +NAME +BOARD\n/);
  });
});

test('what failed on the way is retried with the same idempotency key', async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers['idempotency-key'] as string | undefined);
    request.resume().on('end', () => {
      if (seen.length === 1) return request.socket.destroy();
      if (seen.length === 2) return response.writeHead(503, { 'retry-after': '0' }).end('{}');
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true,"data":{"event":{}}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const env = { WORKTRACK_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    const ended = await run(['item', 'comment', 'W-T-1', '--text', 'x', '--json'], { env });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(seen).toHaveLength(3);
    expect(new Set(seen).size).toBe(1);
  } finally {
    server.close();
  }
});

test('npm run -s worktrack prints nothing before the JSON', async () => {
  const ended = await new Promise<Ended>((resolve) => {
    execFile(
      'npm',
      ['run', '-s', 'worktrack', '--', 'project', 'list', '--json'],
      { cwd: REPOSITORY, env: environment() },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  expect(JSON.parse(ended.stdout)).toHaveProperty('projects');
});

describe('of a project', () => {
  test('labels, templates and views are kept, and what is created begins with a template', async () => {
    const { stdout } = await run(['label', 'create', 'Bug', '--colour', '#C00000']);
    const [id] = stdout.split('\n');
    expect(await json(['label', 'list'])).toEqual([{ id, name: 'Bug', colour: '#c00000' }]);
    await run(['label', 'update', id ?? '', '--name', 'Defect']);
    const templates = [{ name: 'Report', type: 'idea', title: 'Something is wrong', labels: ['Defect'] }];
    await run(['project', 'update', organization.projectId, '--templates', JSON.stringify(templates)]);
    const made = await json<WorkItem>(['item', 'create', '--template', 'report', '--priority', 'high']);
    expect(made).toMatchObject({
      ...{ type: 'idea', title: 'Something is wrong', priority: 'high' },
      labels: [{ name: 'Defect' }],
    });
    const missing = await run(['item', 'create', '--template', 'Nothing']);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('it has "Report"') });
    const rid = await json<WorkItem>(['item', 'update', made.taskId, '--remove-labels', 'defect']);
    expect(rid.labels).toEqual([]);
    expect((await run(['label', 'delete', id ?? ''])).stdout).toBe('Deleted.\n');

    const view = (await run(['view', 'create', 'High', '--filters', '{"priority":"high"}'])).stdout.trim();
    expect(await run(['view', 'update', view, '--filters', '{"priorty":"high"}'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: --filters \(priorty\): is not a known field; did you mean priority\? \(/),
    });
    expect((await run(['view', 'update', view, '--shared'])).stdout).toBe('High is shared.\n');
    expect((await run(['view', 'update', view, '--name', 'Higher'])).stdout).toBe('Higher is shared.\n');
    expect((await run(['view', 'list'])).stdout).toContain('Higher');
    expect((await run(['view', 'delete', view])).stdout).toBe('Deleted.\n');
    const listed = await json<{ workItems: WorkItem[] }>(['item', 'list', '--type-not', 'task', '--epic', 'none']);
    expect(listed.workItems[0]?.taskId).toBe(made.taskId);
  });
});
