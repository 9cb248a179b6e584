import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSource } from '../feedback/visitor.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { blocksOf, type Command, commandsOf, withoutAccidents } from './page.ts';

const repository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const PAGES = [
  'README.md',
  ...readdirSync(repository('docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** What starts a whole system, needs containers or a cluster, or is tested elsewhere. Nothing else is left out. */
const ELSEWHERE: readonly (readonly [begins: string, why: string])[] = [
  ['npm start', 'test/stack.test.ts'],
  ['npm test', 'this run'],
  ['npm run ', 'scripts that concern the whole stack, such as stop and back-up, each with a test of its own'],
  ['cp .env.example .env', 'containers'],
  ['docker ', 'containers'],
  ['kubectl ', 'a cluster'],
  ["node -e 'fetch(process.env.WORKTRACK_URL", 'test/e2e/ci.test.ts'],
];

let system: System;
beforeAll(async () => {
  system = await sharedSystem();
});
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Place {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Replaces a page's examples of a service, a key and a source with those of the test. */
  filledIn(script: string): string;
}

/** A folder like that of a clone whose stack is running, with a new organization. */
async function newPlace(): Promise<Place> {
  const organization = await system.newOrganization();
  const source = await newSource(organization, { name: 'Website' });
  const folder = mkdtempSync(join(tmpdir(), 'worktrack-docs-'));
  folders.push(folder);
  const { apiKey, projectId, boardId, columns } = organization;
  const stack = {
    baseUrl: system.baseUrl,
    apiKey,
    projectId,
    boardId,
    columns,
    source,
    urls: { rabbitmq: system.rabbitmqUrl },
  };
  mkdirSync(join(folder, '.worktrack'));
  writeFileSync(join(folder, '.worktrack', 'stack.json'), JSON.stringify(stack));
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(repository('cli/worktrack.mjs'), join(folder, 'node_modules', '.bin', 'worktrack'));
  symlinkSync(
    repository('test/node_modules/@modelcontextprotocol'),
    join(folder, 'node_modules', '@modelcontextprotocol'),
  );
  return {
    folder,
    environment: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: folder,
      ...{ WORKTRACK_URL: system.baseUrl, WORKTRACK_API_KEY: apiKey, WORKTRACK_PUBLIC_KEY: source.publicKey },
    },
    filledIn: (script) =>
      script
        .replaceAll(/https:\/\/worktrack\.example|http:\/\/(127\.0\.0\.1|localhost):3000/g, system.baseUrl)
        .replaceAll('wt_…', apiKey)
        .replaceAll('pk_…', source.publicKey),
  };
}

const answersIn = (text: string) =>
  withoutAccidents(text)
    .split('\n')
    .map((line) => JSON.parse(line) as object);

const MARK = 'the end of a block';

/** Runs the blocks of a page one after the other in one shell, as somebody who follows it does. */
async function follow(commands: readonly Command[], place: Place): Promise<string[]> {
  for (const { files } of commands) {
    for (const [name, content] of files) writeFileSync(join(place.folder, name), content);
  }
  const script = commands
    .map(({ block }) => `${place.filledIn(block.text)}\ncode=$?; echo; echo "${MARK} $code"`)
    .join('\n');
  const shell = spawn('bash', ['--noprofile', '--norc', '-c', script], {
    cwd: place.folder,
    env: place.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
  const outputs = stdout.split(new RegExp(`${MARK} (\\d+)\n`));
  return commands.map(({ block }, index) => {
    expect(outputs[2 * index + 1], `${block.text}\n${outputs[2 * index]}\n${stderr}`).toBe('0');
    // Curl puts no line break between two answers.
    return (outputs[2 * index] ?? '').replaceAll('}{"success"', '}\n{"success"');
  });
}

describe.each(PAGES)('%s', (name) => {
  const path = repository(name);
  const commands = commandsOf(blocksOf(path)).filter(
    ({ block }) => !ELSEWHERE.some(([begins]) => block.text.startsWith(begins)),
  );

  test.runIf(commands.length > 0)('does what it says, followed literally', async () => {
    const outputs = await follow(commands, await newPlace());
    const lines = readFileSync(path, 'utf8').split('\n');
    let hasChanged = false;
    for (const [index, { block, output }] of commands.entries()) {
      const printed = outputs[index] ?? '';
      if (!output) {
        expect(printed, block.text).not.toContain('"success":false');
      } else if (process.env.DOCS_UPDATE) hasChanged = true;
      else if (output.language === 'json') {
        // Answers may gain fields; what the page shows has to be there.
        expect(answersIn(printed), block.text).toMatchObject(answersIn(output.text));
      } else expect(withoutAccidents(printed), block.text).toBe(withoutAccidents(output.text));
    }
    if (!hasChanged) return;
    // From the end, so that the lines before stay where they are.
    for (const [index, { output }] of [...commands.entries()].toReversed()) {
      if (output)
        lines.splice(output.line, output.text.split('\n').length, ...(outputs[index] ?? '').trim().split('\n'));
    }
    writeFileSync(path, lines.join('\n'));
  });
});
