import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromNow } from './format.ts';
import { language } from './language.ts';

const zoneBefore = process.env.TZ;
// Which earlier files of this process may have changed.
beforeAll(() => {
  language.value = 'en';
});
afterAll(() => {
  if (zoneBefore === undefined) delete process.env.TZ;
  else process.env.TZ = zoneBefore;
});

test.each([
  ['a day and a half ago, before two midnights', 'Asia/Kolkata', '2026-03-02T23:00', '2026-03-04T09:00', '2 days ago'],
  ['a day and a half ago, before one', 'Asia/Kolkata', '2026-03-02T09:00', '2026-03-03T21:00', 'yesterday'],
  ['in a day, after two midnights', 'America/Sao_Paulo', '2026-03-04T01:00', '2026-03-02T23:00', 'in 2 days'],
  ['less than a day ago', 'Pacific/Apia', '2026-03-02T12:00', '2026-03-03T09:00', '21 hours ago'],
  ['as soon as it is 30 days long', 'Europe/Berlin', '2026-03-31T12:00', '2026-03-01T12:00:01', 'in 30 days'],
  ['within the day of 25 hours', 'Europe/Berlin', '2026-10-25T00:10', '2026-10-25T23:50', '24 hours ago'],
  ['over the day of 23 hours', 'Europe/Berlin', '2026-03-29T00:30', '2026-03-30T09:00', 'yesterday'],
])('%s', (_, zone, at, now, said) => {
  process.env.TZ = zone;
  expect(fromNow(new Date(at).toISOString(), Date.parse(now))).toBe(said);
});
