import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { TrustRule } from '@worktrack/contracts/keys/trust-rules';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestIssuer } from '../support/issuer.ts';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';

const MAX_LINES = 8;
/** Each is several processes. That one item is left of twenty creations at once is tested where they cost a call. */
const TOGETHER = 6;
const repository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const page = readFileSync(repository('docs/ci.md'), 'utf8');
const actionFolder = repository('action');

/** The recipe under a heading of the page. */
function recipe(heading: string): string {
  const [, section = ''] = page.split(`## ${heading}\n`);
  return /```\w+\n([\s\S]*?)\n```/.exec(section)?.[1] ?? '';
}

let system: System;
let organization: TestOrganization;
/** One for each build, all of them in this one. */
const folders = mkdtempSync(join(tmpdir(), 'worktrack-ci-'));
let folder: string;
/** The only folder in `PATH`: besides a shell, a recipe needs nothing but Node. */
const programs = join(folders, 'bin');
beforeAll(async () => {
  mkdirSync(programs);
  symlinkSync(process.execPath, join(programs, 'node'));
  system = await sharedSystem();
  issuer = await TestIssuer.start();
  await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
  runner = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${(github.address() as AddressInfo).port}/token?api-version=2`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of this job',
  };
});
afterAll(async () => {
  github.close();
  await issuer?.stop();
  rmSync(folders, { recursive: true, force: true });
});

const CLAIMS = { project: '42', branch: 'main' };
let issuer: TestIssuer;
/** What gives a job of GitHub Actions its ID tokens. */
const given: string[] = [];
let lifeSeconds = 600;
const github = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost');
  const isJob = request.headers.authorization === 'Bearer of this job';
  const iat = Math.floor(Date.now() / 1_000);
  const value = issuer.jwt({ ...CLAIMS, aud: searchParams.get('audience'), iat, exp: iat + lifeSeconds });
  given.push(value);
  response.writeHead(isJob ? 200 : 403).end(JSON.stringify({ value }));
});
let runner: Record<string, string>;

async function newRule(): Promise<TrustRule> {
  const { data } = await organization.call<TrustRule>('POST', '/api/trust-rules', {
    ...{ name: 'CI', issuer: issuer.url, claims: CLAIMS },
    permissions: ['work-items:read', 'work-items:write', 'projects:read'],
  });
  return data;
}

async function newBuild(): Promise<void> {
  organization = await system.newOrganization();
  folder = newFolder();
}
const newFolder = () => mkdtempSync(join(folders, 'build-'));

/** What the build prints, and how it ends. */
function buildEnds(words: string, code: number, folder: string): void {
  writeFileSync(join(folder, 'build.sh'), `#!/bin/sh\necho '${words}'\nexit ${code}\n`);
  chmodSync(join(folder, 'build.sh'), 0o755);
}

async function shell(
  script: string,
  env: Record<string, string | undefined> = {},
  cwd = folder,
): Promise<number | null> {
  // As runners do, except that it does not stop at the first failure, on which the plain shell recipes do not rely.
  const child = spawn('/bin/bash', ['--noprofile', '--norc', '-c', script], {
    cwd,
    env: {
      PATH: programs,
      WORKTRACK_URL: system.baseUrl,
      WORKTRACK_API_KEY: organization.apiKey,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  if (code !== 0 && stderr !== '') throw new Error(`${stdout}\n${stderr}`);
  return code;
}

async function items(): Promise<WorkItem[]> {
  const { data } = await organization.call<{ workItems: WorkItem[] }>('GET', '/api/work-items?externalId=build');
  return data.workItems;
}

/** Fails, passes twice, fails again: always the same item, and nothing happens to it while builds go on passing. */
async function expectOneItem(build: (passes: boolean) => Promise<void>): Promise<void> {
  await build(true);
  expect(await items()).toEqual([]);
  await build(false);
  const [opened] = await items();
  expect(await items()).toMatchObject([{ title: 'The build fails', columnName: 'To Do' }]);
  const attached = await organization.call<{ size: number; fileName: string }[]>(
    'GET',
    `/api/work-items/${opened?.id}/attachments`,
  );
  expect(attached.data).toMatchObject([{ fileName: 'build.log', size: 'It is broken\n'.length }]);
  const history = async () => (await organization.call('GET', `/api/work-items/${opened?.id}/events`)).data;
  await build(true);
  expect(await items()).toMatchObject([{ id: opened?.id, columnName: 'Done' }]);
  const untilClosed = await history();
  await build(true);
  expect(await history()).toEqual(untilClosed);
  await build(false);
  expect(await items()).toMatchObject([{ id: opened?.id, columnName: 'To Do' }]);
}

const inputs = {
  url: 'WORKTRACK_URL',
  key: 'WORKTRACK_API_KEY',
  'trust-rule': 'WORKTRACK_TRUST_RULE',
  'project-id': 'WORKTRACK_PROJECT_ID',
  command: 'WORKTRACK_COMMAND',
};

/** The step of the action as a runner executes it: inputs in the environment that action.yml gives them, outputs in a file. */
async function runAction(
  given: Partial<Record<keyof typeof inputs, string>>,
  runner: Record<string, string> = {},
): Promise<{ code: number | null; outputs: Record<string, string> }> {
  const definition = readFileSync(join(actionFolder, 'action.yml'), 'utf8');
  const env: Record<string, string> = {};
  for (const [, name = '', input = ''] of definition.matchAll(/^ {8}(\w+): \$\{\{ inputs\.([\w-]+) \}\}$/gm)) {
    env[name] = given[input as keyof typeof inputs] ?? '';
  }
  expect(Object.keys(env).toSorted()).toEqual(Object.values(inputs).toSorted());
  const script = /^ {6}run: (.*)$/m.exec(definition)?.[1] ?? '';
  const output = join(mkdtempSync(join(folder, 'runner-')), 'output');
  writeFileSync(output, '');
  const code = await shell(`set -eo pipefail\n${script}`, {
    ...env,
    GITHUB_ACTION_PATH: actionFolder,
    GITHUB_OUTPUT: output,
    RUNNER_TEMP: join(output, '..'),
    ...runner,
  });
  return {
    code,
    outputs: Object.fromEntries(
      readFileSync(output, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('=') as [string, string]),
    ),
  };
}
const withService = (command: string) => ({ url: system.baseUrl, key: organization.apiKey, command });

describe('docs/ci.md: a bug when the build fails, with its log, closed when it passes', () => {
  beforeAll(newBuild);

  test.each(['Plain shell', 'GitHub Actions', 'GitLab CI'])('%s has at most eight lines', (heading) => {
    expect(recipe(heading).split('\n').length).toBeGreaterThan(3);
    expect(recipe(heading).split('\n').length).toBeLessThanOrEqual(MAX_LINES);
  });

  test('in plain shell', async () => {
    await newBuild();
    await expectOneItem(async (passes) => {
      buildEnds(passes ? 'Fine' : 'It is broken', passes ? 0 : 1, folder);
      expect(await shell(recipe('Plain shell'))).toBe(passes ? 0 : 1);
    });
  });

  test('and where gates are enforced a build that passes leaves the bug to its review, and passes', async () => {
    await newBuild();
    await organization.call('PATCH', `/api/projects/${organization.projectId}`, { gates: 'enforce' });
    for (const passes of [false, true]) {
      buildEnds(passes ? 'Fine' : 'It is broken', passes ? 0 : 1, folder);
      expect(await shell(recipe('Plain shell'))).toBe(passes ? 0 : 1);
      expect(await items()).toMatchObject([{ columnName: 'To Do' }]);
    }
  });

  test('in GitLab CI', async () => {
    await newBuild();
    const [build = '', after = ''] = recipe('GitLab CI').split('  after_script:\n');
    const script = /script: (.*)/.exec(build)?.[1] ?? '';
    const lines = after.split('\n').map((line) => line.replace(/^ {4}- /, ''));
    const [, name = '', audience] = /id_tokens: { (\w+): { aud: \$(\w+) } }/.exec(build) ?? [];
    expect(audience).toBe('WORKTRACK_TRUST_RULE');
    const rule = await newRule();
    const ends = async (status: 'success' | 'failed' | 'canceled') => {
      const token = { WORKTRACK_TRUST_RULE: rule.audience, [name]: issuer.jwt({ ...CLAIMS, aud: rule.audience }) };
      const job = { ...token, WORKTRACK_API_KEY: '', TMPDIR: folder, CI_JOB_STATUS: status };
      expect(await shell(lines.join('\n'), job)).toBe(0);
    };
    // Runs after a job that somebody canceled, too.
    buildEnds('Half of it', 0, folder);
    expect(await shell(script)).toBe(0);
    await ends('canceled');
    await expectOneItem(async (passes) => {
      buildEnds(passes ? 'Fine' : 'It is broken', passes ? 0 : 1, folder);
      expect(await shell(script)).toBe(passes ? 0 : 1);
      await ends(passes ? 'success' : 'failed');
    });
  });

  test('in GitHub Actions, with the action', async () => {
    await newBuild();
    const [, script = ''] = /- run: (.*)/.exec(recipe('GitHub Actions')) ?? [];
    const [, passed = '', failed = ''] = /'success' && '(.*)' \|\| '(.*)' }}/.exec(recipe('GitHub Actions')) ?? [];
    expect(page).not.toContain('secrets.');
    const { audience } = await newRule();
    await expectOneItem(async (passes) => {
      buildEnds(passes ? 'Fine' : 'It is broken', passes ? 0 : 1, folder);
      expect(await shell(script)).toBe(passes ? 0 : 1);
      const given = { url: system.baseUrl, 'trust-rule': audience, command: passes ? passed : failed };
      expect((await runAction(given, runner)).code).toBe(0);
    });
  });

  test('several builds that fail at once leave one bug, with the log of each', async () => {
    await newBuild();
    const script = recipe('Plain shell');
    const builds = Array.from({ length: TOGETHER }, async () => {
      const own = newFolder();
      buildEnds('It is broken', 1, own);
      return shell(script, {}, own);
    });
    expect(await Promise.all(builds)).toEqual(Array(TOGETHER).fill(1));
    const [bug] = await items();
    expect(await items()).toMatchObject([{ title: 'The build fails', columnName: 'To Do' }]);
    const logs = await organization.call<object[]>('GET', `/api/work-items/${bug?.id}/attachments`);
    expect(logs.data).toHaveLength(TOGETHER);
  });

  test('several runs of the action at once create one item, and each gets its id', async () => {
    await newBuild();
    const command = 'item create --title "The build fails" --external-id build';
    const runs = await Promise.all(Array.from({ length: TOGETHER }, () => runAction(withService(command))));
    expect(runs.map(({ code }) => code)).toEqual(Array(TOGETHER).fill(0));
    const [item] = await items();
    expect(await items()).toHaveLength(1);
    for (const { outputs } of runs) expect(outputs).toMatchObject({ id: item?.id, 'task-id': item?.taskId });
    expect(runs.filter(({ outputs }) => outputs.created === 'true')).toHaveLength(1);
  });
});

describe('the action', () => {
  beforeAll(newBuild);

  test('runs nothing that an input contains, and splits words as a shell quotes them', async () => {
    const title = `$(: > ${folder}/pwned) \`id\` "quoted" ; && 語`;
    const { outputs } = await runAction(
      withService(`item create --title ${JSON.stringify(title)} --description 'it''s "so"'`),
    );
    const { data } = await organization.call<WorkItem>('GET', `/api/work-items/${outputs.id}`);
    expect(data).toMatchObject({ title, description: 'its "so"' });
    await expect(shell(`test ! -e ${folder}/pwned`)).resolves.toBe(0);
  });

  test('skips what needs a work item if there is none, and ends as the command ends', async () => {
    const skipped = await runAction(
      withService('item list --search nothingofthekind\nitem move {task-id} --board-column-id Done'),
    );
    expect(skipped).toMatchObject({ code: 0, outputs: {} });
    await expect(runAction(withService('item get W-T-99999'))).rejects.toThrow('NOT_FOUND');
    await expect(runAction({ ...withService('item list'), url: 'http://127.0.0.1:2' })).rejects.toThrow(
      'Check the input url',
    );
  });
});

describe('a job without a secret', () => {
  let rule: TrustRule;

  beforeAll(async () => {
    await newBuild();
    rule = await newRule();
    await shell(
      `node -e 'fetch(process.env.WORKTRACK_URL + "/cli/worktrack.mjs").then((r) => r.text()).then((t) => fs.writeFileSync("worktrack.mjs", t))'`,
    );
  });

  /** One command of a job, in a folder for temporary files that its jobs share. */
  const command = (words: string, env: Record<string, string>, cwd = folder) =>
    shell(
      `node worktrack.mjs ${words}`,
      {
        ...{ WORKTRACK_API_KEY: '', WORKTRACK_TRUST_RULE: rule.audience, TMPDIR: folder, RUNNER_TEMP: '', ...env },
      },
      cwd,
    );

  test('the action gets its token itself, once for all of its commands', async () => {
    const before = given.length;
    const commands =
      'item create --title "The build fails" --external-id trusted; item comment {task-id} --text "Once more."';
    const run = await runAction({ url: system.baseUrl, 'trust-rule': rule.audience, command: commands }, runner);
    expect(run).toMatchObject({ code: 0, outputs: { created: 'true' } });
    expect(given.length - before).toBe(1);
    const { data } = await organization.call('GET', `/api/work-items/${run.outputs.id}`);
    expect(data).toMatchObject({ title: 'The build fails' });
  });

  test('a token that ends is fetched again', async () => {
    const before = given.length;
    lifeSeconds = 20;
    for (let i = 0; i < 2; i++) expect(await command('item list', { ...runner, RUNNER_TEMP: newFolder() })).toBe(0);
    const same = { ...runner, RUNNER_TEMP: newFolder() };
    for (let i = 0; i < 2; i++) expect(await command('item list', same)).toBe(0);
    lifeSeconds = 600;
    expect(given.length - before).toBe(4);
  });

  test('and one that its rule has ended before its time', async () => {
    const own = await newRule();
    const env = { ...runner, RUNNER_TEMP: newFolder(), WORKTRACK_TRUST_RULE: own.audience };
    expect(await command('item list', env)).toBe(0);
    for (const disabled of [true, false]) {
      await organization.call('PATCH', `/api/trust-rules/${own.id}`, { disabled });
    }
    const before = given.length;
    for (let i = 0; i < 2; i++) expect(await command('item list', env)).toBe(0);
    expect(given.length - before).toBe(1);
  });

  test('a service that restarts just then is asked for it again', async () => {
    let asked = 0;
    const restarting = createServer(async (request, response) => {
      if (request.url === '/oauth/token' && asked++ === 0) return response.writeHead(503, { 'retry-after': '0' }).end();
      const { authorization, 'content-type': type } = request.headers;
      const answer = await fetch(`${system.baseUrl}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
        ...(request.method === 'POST' && { body: await text(request) }),
      });
      return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
    await new Promise<void>((resolve) => restarting.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(restarting.address() as AddressInfo).port}`;
    expect(await command('item list', { ...runner, RUNNER_TEMP: newFolder(), WORKTRACK_URL: url })).toBe(0);
    expect(asked).toBe(2);
    restarting.close();
  });

  test('several commands of a job share what one JWT was exchanged for, from GitLab and from a file', async () => {
    for (let i = 0; i < 3; i++) {
      const jwt = issuer.jwt({ ...CLAIMS, aud: rule.audience });
      const file = join(folder, `token-${i}`);
      writeFileSync(file, `${jwt}\n`);
      const env: Record<string, string> = i === 0 ? { WORKTRACK_ID_TOKEN: jwt } : { WORKTRACK_ID_TOKEN_FILE: file };
      expect(await command('item list', env)).toBe(0);
      expect(await command('project list', env)).toBe(0);
    }
  });

  test('and so do commands that it runs at once', async () => {
    const env = { WORKTRACK_ID_TOKEN: issuer.jwt({ ...CLAIMS, aud: rule.audience }) };
    const all = Array.from({ length: 5 }, () => command('item list', env));
    expect(await Promise.all(all)).toEqual(Array(5).fill(0));
  });

  test('what a job may not, or lacks, is said in words', async () => {
    const env = { WORKTRACK_ID_TOKEN: issuer.jwt({ ...CLAIMS, branch: 'other', aud: rule.audience }) };
    await expect(command('item list', env)).rejects.toThrow(
      /gives no token for \S+\/trust\/\S+: The JWT was not accepted\. .*: `worktrack trust tries <id>`/,
    );
    await expect(command('item list', {})).rejects.toThrow(/WORKTRACK_TRUST_RULE is set, but there is no ID token/);
    await expect(command('item list', { WORKTRACK_ID_TOKEN_FILE: '/nonexistent' })).rejects.toThrow(/cannot be read/);
    writeFileSync(join(folder, 'nothing'), '\n');
    await expect(command('item list', { WORKTRACK_ID_TOKEN_FILE: 'nothing' })).rejects.toThrow(/which is empty/);
    await expect(command('item list', { WORKTRACK_ID_TOKEN: 'x', WORKTRACK_URL: issuer.url })).rejects.toThrow(
      /not as worktrack does \(HTTP 200\)\. Check WORKTRACK_URL/,
    );
    await expect(command('item list', { WORKTRACK_TRUST_RULE: '' })).rejects.toThrow(/set WORKTRACK_TRUST_RULE/);
    await expect(
      command('item list', { ...runner, RUNNER_TEMP: newFolder(), ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of another' }),
    ).rejects.toThrow(/GitHub gives no ID token \(HTTP 403\)/);
  });

  test('an owner sees why', async () => {
    const seen = await shell(
      `node worktrack.mjs trust tries ${rule.id} --json | node -e 'let t = ""; process.stdin.on("data", (d) => { t += d; }).on("end", () => process.exit(JSON.parse(t)[0].claim === "branch" ? 0 : 1))'`,
    );
    expect(seen).toBe(0);
    expect(await shell('node worktrack.mjs trust list > /dev/null')).toBe(0);
  });
});
