import { expect, test } from 'vitest';
import { tellAtMs } from './times.ts';

const NIGHT = { from: '22:00', to: '07:00' };
const BERLIN = { ...NIGHT, timeZone: 'Europe/Berlin' };
const LUNCH = { from: '12:00', to: '13:30', timeZone: 'Asia/Kolkata' };

test.each([
  ['at once', 'at_once', null, '2026-03-02T09:30:00Z', '2026-03-02T09:30:00Z'],
  ['an hour after the first', 'hourly', null, '2026-03-02T09:30:00Z', '2026-03-02T10:30:00Z'],
  ['at eight, the same day', 'daily', null, '2026-03-02T07:59:30Z', '2026-03-02T08:00:00Z'],
  ['at eight, the next day', 'daily', null, '2026-03-02T08:00:00Z', '2026-03-03T08:00:00Z'],
  ['at eight of the clocks there', 'daily', BERLIN, '2026-07-02T09:00:00Z', '2026-07-03T06:00:00Z'],
  ['before the night', 'at_once', BERLIN, '2026-03-02T20:59:59Z', '2026-03-02T20:59:59Z'],
  ['from its beginning on', 'at_once', BERLIN, '2026-03-02T21:00:00Z', '2026-03-03T06:00:00Z'],
  ['until its end', 'at_once', BERLIN, '2026-03-03T06:00:00Z', '2026-03-03T06:00:00Z'],
  ['an hour that ends in the night', 'hourly', BERLIN, '2026-03-02T20:30:00Z', '2026-03-03T06:00:00Z'],
  ['in a night in which summer begins', 'at_once', BERLIN, '2026-03-28T22:00:00Z', '2026-03-29T05:00:00Z'],
  ['in a night in which summer ends', 'at_once', BERLIN, '2026-10-24T22:00:00Z', '2026-10-25T06:00:00Z'],
  ['half an hour off', 'at_once', LUNCH, '2026-03-02T07:00:00Z', '2026-03-02T08:00:00Z'],
  [
    'until a time that the clocks skip',
    'at_once',
    { ...BERLIN, to: '02:30' },
    '2026-03-28T22:00:00Z',
    '2026-03-29T01:30:00Z',
  ],
] as const)('%s', (_, times, quietHours, since, expected) => {
  const atMs = tellAtMs({ times, quietHours }, Date.parse(since), Date.parse(since));
  expect(new Date(atMs).toISOString()).toBe(new Date(expected).toISOString());
  // And then it is told: the same question does not put it off again.
  expect(tellAtMs({ times, quietHours }, Date.parse(since), atMs)).toBe(atMs);
});
