import type { Log } from '@worktrack/rpc/types';
import { expect, onTestFinished, test, vi } from 'vitest';
import { registry } from '../process/metrics.ts';
import { RedisFallback } from './fallback.ts';

const lines: string[] = [];
const note = (_fields: object, message: string): void => void lines.push(message);
const log: Log = { debug: note, info: note, warn: note, error: note, child: () => log };

test('while Redis fails the check is made in memory, logged once, counted each time, and Redis is not asked every time', async () => {
  const check = new RedisFallback('example', log);
  let asked = 0;
  const inRedis = async () => {
    asked++;
    throw new Error('Connection is closed.');
  };
  for (let i = 0; i < 10; i++) expect(await check.run(inRedis, () => 'memory')).toBe('memory');
  expect(asked).toBe(1);
  expect(lines).toEqual(["Redis is unavailable: the check is made in this process's memory"]);
  expect(await registry.getSingleMetricAsString('worktrack_redis_fallbacks_total')).toContain('{check="example"} 10');
});

test('an answer from Redis is used, and memory is not asked', async () => {
  const check = new RedisFallback('other', log);
  const answer = await check.run(
    async () => 'redis',
    () => expect.unreachable(),
  );
  expect(answer).toBe('redis');
});

const failing = (message: string) => async () => {
  throw new Error(message);
};
/** As Redis 6 says it of a script. */
const inScript = (message: string) => `ERR Error running script (call to f_da84): @user_script:1: ${message}`;

test.each([
  'OOM command not allowed when used memory > maxmemory.',
  inScript('@user_script: 1: -OOM command not allowed when used memory > maxmemory.'),
  inScript("@user_script: 1: -READONLY You can't write against a read only replica."),
  'MASTERDOWN Link with MASTER is down',
  'LOADING Redis is loading the dataset in memory',
])('what Redis cannot do at the moment is done in memory: %s', async (message) => {
  expect(await new RedisFallback('state', log).run(failing(message), () => 'memory')).toBe('memory');
});

test('a full Redis, which answers what only reads, is reported as back once nothing has failed for half a minute', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  lines.length = 0;
  const check = new RedisFallback('full', log);
  const read = () =>
    check.run(
      async () => 'redis',
      () => 'memory',
    );
  for (let second = 0; second < 60; second++) {
    await read();
    await check.run(failing('OOM command not allowed when used memory > maxmemory.'), () => 'memory');
    vi.advanceTimersByTime(1_000);
  }
  const away = "Redis is unavailable: the check is made in this process's memory";
  expect(lines).toEqual([away]);
  vi.advanceTimersByTime(30_000);
  expect(await read()).toBe('redis');
  expect(lines).toEqual([away, 'The check is shared by all replicas again']);
});

test.each([
  'ERR value is not an integer or out of range',
  inScript('ERR value is not an integer or out of range'),
  inScript('WRONGTYPE Operation against a key holding the wrong kind of value'),
])('a command that Redis rejects as wrong is thrown, not covered up: %s', async (message) => {
  const check = new RedisFallback('wrong', log);
  await expect(check.run(failing(message), () => expect.unreachable())).rejects.toThrow(message);
});
