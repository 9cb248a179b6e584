import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settings as events } from '../services/events/config.ts';
import { settings as feedback } from '../services/feedback/config.ts';
import { settings as gateway } from '../services/gateway/config.ts';
import { settings as keys } from '../services/keys/config.ts';
import { settings as workitems } from '../services/workitems/config.ts';

const repository = join(import.meta.dirname, '..');
const page = readFileSync(join(repository, 'docs/operations.md'), 'utf8');
const section = (title: string) => page.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? '';

/** Of OpenTelemetry's SDK, which has more of them: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
const TRACES = 'OTEL_EXPORTER_OTLP_ENDPOINT';

/** What the first cells of a section's table name. */
function named(title: string, pattern: RegExp): string[] {
  const cells = section(title)
    .split('\n')
    .flatMap((line) => (line.startsWith('| `') ? [line.split('|')[1] as string] : []));
  return cells.flatMap((cell) => cell.match(pattern) ?? []).toSorted();
}

test('the operators’ page lists every setting of the services, and which of them reads it', () => {
  const settings = { G: gateway, K: keys, W: workitems, F: feedback, E: events };
  const all = new Set(Object.values(settings).flatMap((each) => Object.keys(each)));
  expect(named('Settings', /[A-Z][A-Z0-9_]+/g)).toEqual([...all, TRACES].toSorted());

  for (const row of section('Settings').split('\n')) {
    const [, names = '', readBy = ''] = row.split('|').map((cell) => cell.trim());
    if (!/^([GKWFE] ?)+$|^all$/.test(readBy)) continue;
    for (const name of names.match(/[A-Z][A-Z0-9_]+/g) ?? []) {
      if (name === TRACES) continue;
      const readers = Object.entries(settings).flatMap(([letter, each]) => (name in each ? [letter] : []));
      expect(readBy === 'all' ? ['G', 'K', 'W', 'F', 'E'] : readBy.split(' '), name).toEqual(readers);
    }
  }
});

const metrics = globSync('{libs,services}/**/*.ts', {
  cwd: repository,
  exclude: (path) => path.includes('node_modules') || path.endsWith('.test.ts'),
}).flatMap((path) =>
  [...readFileSync(join(repository, path), 'utf8').matchAll(/name: '(worktrack_\w+)'/g)].map(([, name = '']) => name),
);

test('the operators’ page lists every metric of the services, and nothing else', () => {
  expect(metrics.length).toBeGreaterThan(0);
  expect(named('Health and metrics', /worktrack_\w+/g)).toEqual(metrics.toSorted());
});

/** What a script or a method call of the client runs; a method with a name of its own is a script. */
function redisCommandsIn(folders: readonly string[]): string[] {
  const sources = globSync(
    folders.map((folder) => `${folder}/**/*.ts`),
    {
      cwd: repository,
      exclude: (path) => path.includes('node_modules') || path.endsWith('.test.ts'),
    },
  );
  const called = sources.flatMap((path) => {
    const text = readFileSync(join(repository, path), 'utf8');
    const inScripts = [...text.matchAll(/redis\.call\('([A-Z]+)'/g)].map(([, name = '']) => name.toLowerCase());
    const methods = [...text.matchAll(/(?:\b(?:redis|pipeline)|#listening)\s*\.(\w+)\(/g)].map(([, name = '']) => name);
    return [...inScripts, ...methods.flatMap((name) => (/[A-Z]/.test(name) ? ['eval', 'evalsha'] : [name]))];
  });
  const ofTheClient = new Set(['call', 'disconnect', 'duplicate', 'exec', 'on', 'once', 'pipeline']);
  return [...new Set(called)].filter((name) => !ofTheClient.has(name)).toSorted();
}

/** What gateways tell each other by way of Redis: a user of it may use no channel that is not named. */
const CHANNELS = globSync('services/gateway/**/*.ts', { cwd: repository }).flatMap((path) =>
  [...readFileSync(join(repository, path), 'utf8').matchAll(/^const CHANNEL = '([\w:-]+)'/gm)].map(([, name]) => name),
);

test('the page about keys lists every command and channel that the Redis user of the gateways needs', () => {
  const [rights = ''] = readFileSync(join(repository, 'docs/keys.md'), 'utf8').match(/^ACL SETUSER .*$/m) ?? [];
  const permitted = [...rights.matchAll(/ \+(\w+)/g)].map(([, name = '']) => name);
  expect(permitted.toSorted()).toEqual(
    redisCommandsIn(['libs/runtime/redis', 'libs/runtime/captcha', 'services/gateway']),
  );
  expect([...rights.matchAll(/ &(\S+)/g)].map(([, name]) => name)).toEqual(CHANNELS);
});

test('no page names a metric that there is not', () => {
  const pages = globSync('docs/*.md', { cwd: repository }).map((path) => readFileSync(join(repository, path), 'utf8'));
  const names = pages.flatMap((text) => [...text.matchAll(/`(worktrack_\w+)[`{]/g)].map(([, name = '']) => name));
  expect(names.filter((name) => !metrics.includes(name))).toEqual([]);
});
