import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { cannotMount } from '../../../../test/faults/small-disk.ts';
import { FileFull, RecordFile } from './record-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'worktrack-spool-'));
afterAll(() => rmSync(folder, { recursive: true }));

const LIMIT_BYTES = 1_000;
let path: string;
let number = 0;
beforeEach(() => {
  path = join(folder, `${number++}`);
});
const open = () => RecordFile.open(path, () => LIMIT_BYTES);

test('records come back in order, also to the next process, until they have been dealt with', async () => {
  const first = await open();
  await Promise.all(['a', 'b', 'ü', 'd'].map((record) => first.append(record)));
  await first.dealtWith(await first.next(1));
  await first.close();

  const second = await open();
  expect(second.length).toBe(3);
  expect(await second.next(2)).toEqual(['b', 'ü']);
  expect(await second.next(10)).toEqual(['b', 'ü', 'd']);
  await second.append('e');
  const rest = await second.next(10);
  expect(rest).toEqual(['b', 'ü', 'd', 'e']);
  await second.dealtWith(rest);
  expect([second.length, statSync(path).size]).toEqual([0, 0]);
  await second.append('f');
  expect(await second.next(10)).toEqual(['f']);
  await second.close();
});

test('a long file is gone through without reading it many times over', async () => {
  const file = await RecordFile.open(path, () => Number.POSITIVE_INFINITY);
  const record = 'x'.repeat(500);
  await Promise.all(Array.from({ length: 10_000 }, () => file.append(record)));
  const { size } = statSync(path);
  const readBytes = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  const before = readBytes();
  while (file.length > 0) {
    const records = await file.next(64);
    expect(records).toHaveLength(Math.min(64, file.length));
    await file.dealtWith(records);
  }
  expect(readBytes() - before).toBeLessThan(20 * size);
  await file.close();
});

test('only its owner can read it, also one that was there', async () => {
  writeFileSync(path, '', { mode: 0o644 });
  const file = await open();
  await file.append('secret');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await file.close();
});

test('wherever its end was torn off, everything before is there, and what follows is appended whole', async () => {
  const file = await open();
  for (const record of ['first', 'second', 'third']) await file.append(record);
  await file.close();
  const whole = readFileSync(path);
  const ends = [13, 27, 40];
  expect(whole.length).toBe(ends[2]);
  for (let length = 0; length < whole.length; length++) {
    writeFileSync(path, whole);
    truncateSync(path, length);
    const torn = await open();
    const kept = ['first', 'second', 'third'].slice(0, ends.filter((end) => end <= length).length);
    expect(await torn.next(10), `${length} bytes`).toEqual(kept);
    await torn.append('after');
    expect(await torn.next(10)).toEqual([...kept, 'after']);
    await torn.close();
  }
});

test('an end that is not a record is cut off', async () => {
  const file = await open();
  await file.append('first');
  await file.close();
  appendFileSync(path, Buffer.alloc(100, 7));
  const again = await open();
  expect(await again.next(10)).toEqual(['first']);
  expect(statSync(path).size).toBe(13);
  await again.close();
});

test('what was damaged before whole records is kept beside them, and costs none of them', async () => {
  const file = await open();
  for (const record of ['first', 'second', 'third', 'fourth']) await file.append(record);
  await file.close();
  const bytes = readFileSync(path);
  // In the second, and the length of the third.
  bytes.writeUInt8(0, 13 + 8);
  bytes.writeUInt32LE(0xffffffff, 13 + 14);
  writeFileSync(path, bytes);
  const again = await open();
  expect([again.damagedBytes, again.length, await again.next(10)]).toEqual([14 + 13, 2, ['first', 'fourth']]);
  expect(readFileSync(`${path}.damaged`).toString()).toContain('econd');
  expect(statSync(`${path}.damaged`).mode & 0o777).toBe(0o600);
  await again.append('fifth');
  await again.close();
  const third = await open();
  expect([third.damagedBytes, await third.next(10)]).toEqual([0, ['first', 'fourth', 'fifth']]);
  await third.close();
});

test.each(['', '5', 'x', '999'])('a noted place "%s" that is none in the file passes nothing over', async (place) => {
  const file = await open();
  for (const record of ['first', 'second']) await file.append(record);
  await file.close();
  writeFileSync(`${path}.place`, place);
  const again = await open();
  expect([again.length, await again.next(10)]).toEqual([2, ['first', 'second']]);
  await again.close();
});

test('beyond its limit nothing is appended, and what is there stays', async () => {
  const file = await open();
  const record = 'x'.repeat(400);
  await file.append(record);
  await file.append(record);
  await expect(file.append(record)).rejects.toThrow(FileFull);
  expect(file.length).toBe(2);
  await file.dealtWith(await file.next(10));
  await file.append(record);
  expect(await file.next(10)).toEqual([record]);
  await file.close();
});

const reason = cannotMount();
test.skipIf(reason)(
  `on a disk that is full it says so, and keeps what it has${reason ? ` (not here: ${reason})` : ''}`,
  () => {
    const script = `
    import { RecordFile } from ${JSON.stringify(join(import.meta.dirname, 'record-file.ts'))};
    const file = await RecordFile.open(process.argv[1] + '/records', () => 2 ** 30);
    let kept = 0, why;
    while (!why) await file.append('x'.repeat(5_000)).then(() => kept++, (error) => (why = error.constructor.name));
    // Its disk is so full that there is no room for the place.
    const dealtWith = await file.next(1);
    await file.dealtWith(dealtWith);
    const left = file.length;
    await file.close();
    const again = await RecordFile.open(process.argv[1] + '/records', () => 2 ** 30);
    console.log(JSON.stringify({ kept, why, left, found: again.length }));`;
    // In a mount namespace of its own, which ends with the command.
    const { stdout, stderr } = spawnSync(
      'unshare',
      [
        ...['--mount', '--propagation', 'private', 'sh', '-c'],
        'mount -t tmpfs -o size=256k worktrack "$0" && exec "$1" --input-type=module --eval "$2" "$0"',
        ...[folder, process.execPath, script],
      ],
      { encoding: 'utf8' },
    );
    const { kept, why, left, found } = JSON.parse(stdout || stderr) as Record<string, unknown>;
    expect(kept).toBeGreaterThan(10);
    expect([why, left, found]).toEqual(['FileFull', Number(kept) - 1, kept]);
  },
);
