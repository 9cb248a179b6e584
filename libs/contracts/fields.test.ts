import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { exportAudit, listAudit } from './audit/operations.ts';
import { listFeedback } from './feedback/inbox.ts';
import { DayOrTime, ofFewFields, oneLine } from './fields.ts';
import { createUser } from './keys/users.ts';
import { createBoard } from './projects/board-operations.ts';
import { createLabel } from './projects/label-operations.ts';
import { createProject } from './projects/project-operations.ts';
import { Templates } from './projects/template.ts';
import { claimWorkItem } from './work-items/agents/leases.ts';
import { addWorkItemComment } from './work-items/changes/comment.ts';
import { sessionReport } from './work-items/costs/sessions.ts';
import { listCards, listGroups, listProjectCards } from './work-items/lists/cards.ts';
import { listWorkItems } from './work-items/lists/list.ts';
import { openBoard } from './work-items/lists/open-board.ts';
import { viewFields } from './work-items/lists/view.ts';
import { itemFields } from './work-items/work-item.ts';

const ID = '00000000-0000-4000-8000-000000000000';

describe('a day or a time', () => {
  it.each(['2026-01-31', '2024-02-29', '2026-01-31T12:00Z', '2026-01-31T12:00:00.123Z', '2026-01-31T12:00:00+02:00'])(
    'is %s',
    (given) => {
      expect(DayOrTime.parse(given)).toBe(given);
      expect(Date.parse(given)).not.toBeNaN();
    },
  );

  it.each([
    ['2026-02-30', 'does not exist'],
    ['2026-02-29', 'does not exist'],
    ['2026-02-30T12:00:00Z', 'does not exist'],
    ['2026-01-31T25:00:00Z', 'does not exist'],
    ['2026-01-31T12:00:00', 'has no zone'],
    ['2026-01', 'is a month'],
    ['yesterday', 'is a word'],
    ['', 'is empty'],
  ])('is not %j, which %s', (given) => {
    expect(DayOrTime.safeParse(given).success).toBe(false);
  });
});

describe.each([
  ['the inbox', listFeedback],
  ['the audit log', listAudit],
  ['an export of it', exportAudit],
])('of %s', (_what, { input }) => {
  it('from may be the same as to, but not after it: it would find nothing', () => {
    const found = (from: string, to: string) =>
      input.safeParse({ from, to }).error?.issues.map(({ path, message }) => [path.join('.'), message]);
    expect(found('2026-01-31', '2026-01-31T01:00:00+01:00')).toBeUndefined();
    expect(found('2026-01-31T00:00Z', '2026-01-30')).toEqual([['from', 'must not be after to']]);
  });
});

it.each([listWorkItems, listCards, listProjectCards, listGroups, openBoard])(
  'of $name, dueAfter may be the same as dueBefore, but not after it',
  ({ name, input }) => {
    const found = (dueAfter: string, dueBefore: string) => {
      const required = {
        ...(/\.(cards|groups)$/.test(name) && { id: ID }),
        ...(name === 'projects.groups' && { groupBy: 'type' }),
      };
      return faultsOf(input, { ...required, dueAfter, dueBefore });
    };
    expect(found('2026-01-31', '2026-01-31')).toBeUndefined();
    expect(found('2026-02-01', '2026-01-31')).toEqual([['dueAfter', 'must not be after dueBefore']]);
  },
);

const USER = { email: 'ada@example.com', role: 'member' };
/** Without NUL, line breaks and tabs. */
const CONTROL = ['\u0001', '\u0007', '\b', '\v', '\f', '\u001b', '\u001f', '\u007f'];
const faultsOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path, message }) => [path.join('.'), message]);

describe.each<[string, z.ZodType, (value: string) => unknown, string]>([
  ['a title', itemFields.title, (value) => value, ''],
  ['the name of a project', createProject.input, (name) => ({ name }), 'name'],
  ['a technology', createProject.input, (value) => ({ name: 'x', techStack: [value] }), 'techStack.0'],
  ['the name of a board', createBoard.input, (name) => ({ id: ID, name }), 'name'],
  ['the name of a column', createBoard.input, (name) => ({ id: ID, name: 'x', columns: [{ name }] }), 'columns.0.name'],
  ['the name of a label', createLabel.input, (name) => ({ id: ID, name, colour: '#000000' }), 'name'],
  ['the name of a template', Templates, (name) => [{ name, type: 'task' }], '0.name'],
  ['the name of a view', viewFields.name, (value) => value, ''],
  ['the name of a user', createUser.input, (name) => ({ ...USER, name }), 'name'],
  ['an assignee', itemFields.assignee, (value) => value, ''],
  ['an agent', claimWorkItem.input, (agent) => ({ agent }), 'agent'],
  ['a model', sessionReport.model, (value) => value, ''],
])('%s', (_what, schema, given, path) => {
  it('is one line without control characters', () => {
    for (const each of [...CONTROL, '\0', '\n', '\r', '\t', '\u0085', '\u2028', '\u2029']) {
      expect(faultsOf(schema, given(`a${each}b`))).toEqual([[path, 'must be one line, without control characters']]);
    }
    expect(faultsOf(schema, given(' Größe, 大きさ 🙂 e\u0301\n'))).toBeUndefined();
  });
});

it('an object with more fields than it may have is refused before any of them is looked at', () => {
  let looks = 0;
  const schema = ofFewFields(
    2,
    z.record(
      z.string(),
      z.string().refine(() => ++looks > 0),
    ),
  );
  expect(schema.parse({ a: '1', b: '2' })).toEqual({ a: '1', b: '2' });
  expect(looks).toBe(2);
  expect(faultsOf(schema, { a: '1', b: '2', c: '3' })).toEqual([['', 'must have at most 2 fields']]);
  expect(looks).toBe(2);
});

describe('a name', () => {
  const Name = oneLine(40);

  it.each([
    ['a space of no width', '\u200b'],
    ['a joiner', '\u200d'],
    ['a non-joiner', '\u200c'],
    ['a word joiner', '\u2060'],
    ['a byte order mark', '\ufeff'],
    ['a soft hyphen', '\u00ad'],
    ['a mark from left to right', '\u200e'],
    ['a mark from right to left', '\u200f'],
    ['an embedding', '\u202b'],
    ['an override', '\u202e'],
    ['an isolate', '\u2066'],
    ['a filler', '\u3164'],
    ['a variation selector', '\ufe0f'],
    ['two of them', '\ufe0f\ufe0f'],
    ['tags', '\u{e0041}\u{e0042}'],
  ])('has no %s, which nobody sees', (_, unseen) => {
    expect(Name.parse(`A${unseen}d${unseen}e${unseen}\u0301${unseen}1 ${unseen}Б${unseen}`)).toBe('Ade\u03011 Б');
    expect(Name.safeParse(` ${unseen} `).error?.issues).toHaveLength(1);
  });

  it.each([
    ['a family', '👩‍👩‍👧‍👦'],
    ['red hair and a skin', '👩🏽‍🦰'],
    ['a heart on fire', '❤️‍🔥'],
    ['a keycap', '1️⃣'],
    ['the flag of Scotland', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['Persian', 'نمی‌خواهم'],
    ['Sinhala', 'ශ්‍රී'],
    ['Malayalam', 'അവന്‍'],
    ['a variant of a Han character', '葛\u{e0100}城'],
    ['Hebrew beside a language', 'מדריך C++\u200e חדש'],
  ])('keeps what makes it look as it does: %s', (_, name) => {
    expect(Name.parse(name)).toBe(name);
    expect(Name.parse(`${name}\u202e`)).toBe(name);
  });

  it('is as long as what is left', () => {
    expect(Name.parse(`${'\u200b'.repeat(360)}${'a'.repeat(40)}`)).toBe('a'.repeat(40));
    expect(Name.safeParse('\u200b'.repeat(401)).success).toBe(false);
    expect(Name.safeParse('a'.repeat(41)).success).toBe(false);
  });
});

describe.each<[string, z.ZodType, (value: string) => unknown]>([
  ['a description', itemFields.description, (value) => value],
  ['the description of a project', createProject.input, (text) => ({ name: 'x', description: text })],
  ['the description of a template', Templates, (text) => [{ name: 'x', type: 'task', description: text }]],
  ['a comment', addWorkItemComment.input, (text) => ({ workItemId: 'W-T-1', text })],
])('%s', (_what, schema, given) => {
  it('may be what a terminal has shown', () => {
    for (const each of [...CONTROL, '\0', '\n', '\r\n\t']) expect(faultsOf(schema, given(`a${each}b`))).toBeUndefined();
  });
});
