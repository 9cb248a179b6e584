import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'worktrack-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A program that has a log. */
function script(name: string, body: string): string {
  const path = join(folder, `${name}.ts`);
  const logging = join(import.meta.dirname, 'logging.ts');
  writeFileSync(
    path,
    `import { createLog } from ${JSON.stringify(logging)};\nconst log = createLog('test', 'info');\n${body}`,
  );
  return path;
}

/** What writing to it gets is ENOSPC. */
const FULL = '/dev/full';

describe.runIf(existsSync(FULL))('with a disk that is full', () => {
  test('a process goes on, and ends when it is to', () => {
    // It has had its answer from the disk by the time it logs again.
    const path = script(
      'full',
      `let rounds = 0;
       setInterval(() => {
         log.info({}, 'a line');
         if (++rounds === 10) process.exit(7);
       }, 50);`,
    );
    const { status } = spawnSync(process.execPath, [path], {
      stdio: ['ignore', openSync(FULL, 'w'), 'inherit'],
      timeout: 20_000,
      killSignal: 'SIGKILL',
    });
    expect(status).toBe(7);
  });
});

/** What a program logs, up to its end. */
async function logOf(path: string): Promise<Record<string, unknown>[]> {
  const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let text = '';
  child.stdout.setEncoding('utf8');
  for await (const chunk of child.stdout) text += chunk;
  await ended;
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('lines come in order, whole and all, and those of the end, too', async () => {
  const lines = await logOf(
    script(
      'orderly',
      `for (let line = 0; line < 2_000; line++) log.info({ line, text: 'ä'.repeat(100) }, 'a line');
       setTimeout(() => {
         log.fatal({ line: 2_000 }, 'the last');
         process.exit(0);
       }, 300);`,
    ),
  );
  expect(lines.map(({ line }) => line)).toEqual(Array.from({ length: 2_001 }, (_, index) => index));
});

test('of more lines than are kept until they can be written, the number is told', async () => {
  const lines = await logOf(
    script(
      'flood',
      `for (let line = 0; line < 20_000; line++) log.info({ line, text: 'ä'.repeat(100) }, 'a line');
       setTimeout(() => {}, 1_000);`,
    ),
  );
  const [missing, ...more] = lines.filter(({ level }) => level === 'warn');
  expect(more).toEqual([]);
  expect(lines.length - 1 + Number(missing?.lines)).toBe(20_000);
});
