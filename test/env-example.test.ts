import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { settings as events } from '../services/events/config.ts';
import { settings as feedback } from '../services/feedback/config.ts';
import { settings as gateway } from '../services/gateway/config.ts';
import { settings as keys } from '../services/keys/config.ts';
import { settings as workitems } from '../services/workitems/config.ts';

const settings: z.ZodRawShape = { ...keys, ...workitems, ...feedback, ...events, ...gateway };
const lines = readFileSync(join(import.meta.dirname, '..', '.env.example'), 'utf8').split('\n');
const listed = lines.flatMap((line) => {
  const [, name, value] = /^(?:# )?([A-Z][A-Z0-9_]+)=(.*)$/.exec(line) ?? [];
  return name === undefined ? [] : [{ name, value: value ?? '' }];
});

test('.env.example lists every setting of the services, and nothing else', () => {
  expect(listed.map(({ name }) => name).toSorted()).toEqual(Object.keys(settings).toSorted());
});

test('what .env.example shows for a setting is valid, and its default where it has one', () => {
  for (const { name, value } of listed.filter(({ value }) => value !== '')) {
    const setting = z.object({ [name]: settings[name] as z.ZodType });
    const [shown, unset] = [setting.safeParse({ [name]: value }), setting.safeParse({})];
    expect(shown.success, name).toBe(true);
    const byDefault = unset.data?.[name];
    const hasDefault = byDefault !== undefined && !(Array.isArray(byDefault) && byDefault.length === 0);
    if (hasDefault) expect(shown.data?.[name], name).toEqual(byDefault);
  }
});
