import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, failure, startProject, startWorkItems, stopWorkItems } from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

const MODEL = { model: 'gpt-4o', totalTokens: 10 };
const RESULTS = { testResults: { passed: 1, failed: 0 } };
type Gates = 'warn' | 'enforce';

async function projectWith(gates: Gates) {
  const own = await startProject();
  await call(own.caller, 'projects.update', { id: own.project.id, gates });
  const reviewer = { ...own.caller, keyId: uuidv7(), userId: uuidv7() };
  const review = (workItemId: string, by = reviewer, result: 'pass' | 'fail' = 'pass') =>
    call(by, 'workItems.completeReview', { workItemId, result, summary: 'Read', issues: ['Nothing'] });
  const validate = (workItemId: string, by = reviewer, more: object = RESULTS) =>
    call(by, 'workItems.completeValidation', { workItemId, ...MODEL, ...more });
  const handedOver = async () => {
    const { id } = await own.create('task');
    const { lease } = await call(own.caller, 'workItems.claim', { ids: [id], agent: 'one' });
    await call(own.caller, 'workItems.completeAiTask', { workItemId: id, leaseToken: lease?.token, ...MODEL });
    return id;
  };
  return { own, reviewer, review, validate, handedOver };
}
type Setting = Awaited<ReturnType<typeof projectWith>>;

const MISFITS: [string, string, (setting: Setting) => Promise<() => Promise<{ warnings?: string[] }>>][] = [
  [
    'a review of what is in Backlog',
    'Backlog',
    async ({ own, review }) => {
      const { id } = await own.create('task');
      return () => review(id);
    },
  ],
  [
    'a validation of what is not reviewed',
    'In Progress',
    async ({ own, validate }) => {
      const { id } = await own.create('task', { column: 'In Progress' });
      return () => validate(id);
    },
  ],
  [
    'a pass by the key that did the work',
    'this key',
    async ({ own, review, handedOver }) => {
      const id = await handedOver();
      return () => review(id, own.caller);
    },
  ],
  [
    'a pass by another key of the same user',
    'its user',
    async ({ own, review, handedOver }) => {
      const id = await handedOver();
      return () => review(id, { ...own.caller, keyId: uuidv7() });
    },
  ],
  [
    'a pass by whoever handed it over, if nobody has claimed it',
    'handed over',
    async ({ own, review, reviewer }) => {
      const { id } = await own.create('task');
      await call(reviewer, 'workItems.move', { workItemId: id, boardColumnId: 'Review' });
      return () => review(id, { ...reviewer, keyId: uuidv7() });
    },
  ],
  [
    'a pass by whoever handed it over in a batch, after a claim that was released',
    'handed over',
    async ({ own, review, reviewer }) => {
      const { id } = await own.create('task');
      const { lease } = await call(own.caller, 'workItems.claim', { ids: [id], agent: 'one' });
      await call(own.caller, 'workItems.release', { workItemId: id, leaseToken: lease?.token ?? '' });
      await call(reviewer, 'workItems.batchMove', { workItemIds: [id], boardColumnId: 'Review' });
      return () => review(id);
    },
  ],
  [
    'a pass by the first of two who completed it',
    'handed over',
    async ({ own, review, reviewer, handedOver }) => {
      const id = await handedOver();
      await call(reviewer, 'workItems.completeAiTask', { workItemId: id, ...MODEL });
      return () => review(id, own.caller);
    },
  ],
  [
    'a validation without results',
    'testResults',
    async ({ own, validate, reviewer }) => {
      const { id } = await own.create('task', { column: 'Testing' });
      return () => validate(id, reviewer, {});
    },
  ],
];

describe.each(MISFITS)('%s', (_, word, prepare) => {
  test('is done with a warning where gates warn', async () => {
    const complete = await prepare(await projectWith('warn'));
    expect((await complete()).warnings?.join(' ')).toContain(word);
  });
  test('is refused where they are enforced', async () => {
    const complete = await prepare(await projectWith('enforce'));
    const refused = await failure(complete());
    expect(refused.code).toBe('CONFLICT');
    expect(refused.message).toContain(word);
  });
});

test('what fits passes without a warning, also where gates are enforced', async () => {
  const { own, review, validate, handedOver } = await projectWith('enforce');
  const id = await handedOver();
  expect(await review(id)).not.toHaveProperty('warnings');
  expect(await validate(id)).not.toHaveProperty('warnings');
  expect((await own.get(id)).columnName).toBe('To Document');
  // Whoever did the work may well say that it is not good enough.
  const second = await handedOver();
  expect(await review(second, own.caller, 'fail')).not.toHaveProperty('warnings');
});

test('whoever takes held work over and hands it over may pass it: somebody else has done it', async () => {
  const { own, reviewer, review } = await projectWith('enforce');
  const { id } = await own.create('task');
  await call(own.caller, 'workItems.claim', { ids: [id], agent: 'one' });
  await call(reviewer, 'workItems.move', { workItemId: id, boardColumnId: 'Review', takeOver: true });
  expect(await failure(review(id, own.caller))).toMatchObject({ code: 'CONFLICT' });
  expect(await review(id)).not.toHaveProperty('warnings');
});

test('whoever takes back that they sent it back may pass it: nobody has done anything since', async () => {
  const { own, reviewer, review, handedOver } = await projectWith('enforce');
  const id = await handedOver();
  await review(id, reviewer, 'fail');
  await call(reviewer, 'workItems.move', { workItemId: id, boardColumnId: 'Review' });
  expect(await failure(review(id, own.caller))).toMatchObject({ code: 'CONFLICT' });
  expect(await review(id)).not.toHaveProperty('warnings');
});

test('whoever creates a task where it is judged may pass it, for that moves nothing past a gate', async () => {
  const { own, review } = await projectWith('enforce');
  const { id } = await own.create('task', { column: 'Review' });
  expect(await review(id, own.caller)).not.toHaveProperty('warnings');
});

test('gates are for tasks', async () => {
  const { own, review } = await projectWith('enforce');
  const story = await own.create('story');
  expect(await review(story.id)).not.toHaveProperty('warnings');
});

describe('a move by hand where gates are enforced', () => {
  const CASES: [string, string, boolean][] = [
    ['Backlog', 'In Progress', true],
    ['In Progress', 'Review', true],
    ['In Progress', 'Testing', false],
    ['To Do', 'Done', false],
    ['Review', 'Testing', false],
    ['Review', 'In Progress', false],
    ['Testing', 'Validating', true],
    ['Testing', 'Done', false],
    ['Validating', 'To Document', false],
    ['To Document', 'Done', true],
  ];
  test.each(CASES)('from %s to %s: %s', async (from, to, isFree) => {
    const { own } = await projectWith('enforce');
    const { id } = await own.create('task', { column: from });
    const move = { workItemId: id, boardColumnId: to };
    if (isFree) return void (await call(own.caller, 'workItems.move', move));
    expect(await failure(call(own.caller, 'workItems.move', move))).toMatchObject({ code: 'CONFLICT' });
    const update = { id, boardColumnId: to };
    expect(await failure(call(own.caller, 'workItems.update', update))).toMatchObject({ code: 'CONFLICT' });
    const batch = { workItemIds: [id], boardColumnId: to };
    expect(await call(own.caller, 'workItems.batchMove', batch)).toMatchObject({ movedCount: 0, skipped: [{ id }] });
    await call(own.caller, 'workItems.move', { ...move, force: true, reason: 'The customer waits' });
    expect((await own.get(id)).columnName).toBe(to);
    const [moved] = (await own.history(id)).filter(({ eventType }) => eventType === 'moved');
    expect(moved?.data).toMatchObject({ force: true, reason: 'The customer waits' });
  });

  test('and a release to another column', async () => {
    const { own } = await projectWith('enforce');
    const { id } = await own.create('task');
    const { lease } = await call(own.caller, 'workItems.claim', { ids: [id], agent: 'one' });
    const release = { workItemId: id, leaseToken: lease?.token ?? '' };
    const refused = call(own.caller, 'workItems.release', { ...release, boardColumnId: 'Done' });
    const fault = await failure(refused);
    expect(fault.code).toBe('CONFLICT');
    // Which a release does not take.
    expect(JSON.stringify([fault.message, fault.extra])).not.toContain('force');
    expect(await call(own.caller, 'workItems.release', release)).toMatchObject({ released: true });
  });
});

describe('a move back from what is judged is a return', () => {
  test.each(['Review', 'Testing', 'Validating'])('from %s', async (from) => {
    for (const to of ['In Progress', 'To Do']) {
      const { own } = await projectWith('warn');
      const { id } = await own.create('task', { column: from });
      const reason = 'The colours are wrong';
      const { workItem } = await call(own.caller, 'workItems.move', { workItemId: id, boardColumnId: to, reason });
      const rework = { from: 'move', summary: reason, issues: [], at: expect.any(String) };
      expect(workItem).toMatchObject({ rework, isAiProcessing: false });
      expect((await call(own.caller, 'workItems.list', {})).workItems[0]).toMatchObject({ rework });
      const claimed = await call(own.caller, 'workItems.claim', { agent: 'two' });
      expect(claimed).toMatchObject({ workItem: { id }, rework });
      expect(await own.get(id)).not.toHaveProperty('rework');
    }
  });

  test('in a batch and by an update, too', async () => {
    const { own } = await projectWith('warn');
    const [one, two] = [await own.create('task', { column: 'Review' }), await own.create('task', { column: 'Review' })];
    const batch = { workItemIds: [one.id], boardColumnId: 'To Do', reason: 'Later' };
    const { items } = await call(own.caller, 'workItems.batchMove', batch);
    expect(items[0]).toMatchObject({ rework: { from: 'move', summary: 'Later' } });
    const update = { id: two.id, boardColumnId: 'In Progress', reason: 'Again' };
    expect(await call(own.caller, 'workItems.update', update)).toMatchObject({ rework: { summary: 'Again' } });
  });
});

describe('a task that another key holds', () => {
  const held = async (gates: Gates) => {
    const setting = await projectWith(gates);
    const { own, reviewer } = setting;
    const item = await own.create('task');
    const { lease } = await call(own.caller, 'workItems.claim', { ids: [item.id], agent: 'one' });
    const isGivenBack = async () => {
      const about = { workItemId: item.id, eventType: 'updated', limit: 1 } as const;
      const { events } = await call(own.caller, 'workItems.events', about);
      expect(events[0]?.data).toEqual({ changes: { assignee: { from: 'one', to: null } } });
    };
    return { ...setting, id: item.id, until: lease?.expiresAt ?? '', other: reviewer, isGivenBack };
  };
  const TAKING: [string, (id: string, more: object) => [string, object]][] = [
    ['a move', (workItemId, more) => ['workItems.move', { workItemId, boardColumnId: 'To Do', ...more }]],
    ['an update', (id, more) => ['workItems.update', { id, boardColumnId: 'To Do', ...more }]],
    ['a completion', (workItemId, more) => ['workItems.completeAiTask', { workItemId, ...MODEL, ...more }]],
  ];

  test.each(TAKING)('is taken by %s only deliberately', async (_, write) => {
    for (const gates of ['warn', 'enforce'] as const) {
      const { own, id, until, other, isGivenBack } = await held(gates);
      const run = (more: object) => {
        const [name, input] = write(id, more);
        return call(other, name as 'workItems.move', input as never);
      };
      const refused = await failure(run({}));
      expect(refused.code).toBe('CONFLICT');
      for (const word of ['one', until, 'takeOver']) expect(refused.message).toContain(word);
      const taken = await run({ takeOver: true });
      expect(taken.warnings?.[0]).toContain('taken from one');
      expect(await own.get(id)).toMatchObject({ lease: null, isAiProcessing: false, assignee: null });
      await isGivenBack();
    }
  });

  test('is skipped by a batch, and may be taken by it', async () => {
    const { id, other, isGivenBack } = await held('warn');
    const batch = { workItemIds: [id], boardColumnId: 'To Do' };
    const { skipped } = await call(other, 'workItems.batchMove', batch);
    expect(skipped).toMatchObject([{ id, reason: expect.stringContaining('held by one') }]);
    expect(await call(other, 'workItems.batchMove', { ...batch, takeOver: true })).toMatchObject({ movedCount: 1 });
    await isGivenBack();
  });

  test('is passed by a review only deliberately', async () => {
    const { id, review, other } = await held('warn');
    expect(await failure(review(id))).toMatchObject({ code: 'CONFLICT', extra: { reason: 'held' } });
    const pass = { workItemId: id, result: 'pass', summary: 'Read', takeOver: true } as const;
    expect((await call(other, 'workItems.completeReview', pass)).warnings?.join(' ')).toContain('taken from one');
  });

  test('moves as before for the key itself, with a warning', async () => {
    const { own, id } = await held('warn');
    const { warnings } = await call(own.caller, 'workItems.move', { workItemId: id, boardColumnId: 'To Do' });
    expect(warnings?.[0]).toContain('has ended');
  });
});

test('gates that change while work is completed hold for what is stored after them', async () => {
  const { own, review } = await projectWith('warn');
  const items = await Promise.all(Array.from({ length: 12 }, () => own.create('task')));
  const enforced = call(own.caller, 'projects.update', { id: own.project.id, gates: 'enforce' });
  const outcomes = await Promise.allSettled(items.map(({ id }) => review(id)));
  await enforced;
  const passed = outcomes.filter(({ status }) => status === 'fulfilled').length;
  const columns = await Promise.all(items.map(async ({ id }) => (await own.get(id)).columnName));
  expect(columns.filter((name) => name === 'Testing')).toHaveLength(passed);
  const { id } = await own.create('task');
  expect(await failure(review(id))).toMatchObject({ code: 'CONFLICT', extra: { reason: 'not_due' } });
});

test('gates hold from the moment they are set, also where another write has read the board again since, and not the project', async () => {
  const { own, review } = await projectWith('warn');
  const story = await own.create('story');
  const [first, second] = [await own.create('task'), await own.create('task')];
  await review(first.id);
  await call(own.caller, 'projects.update', { id: own.project.id, gates: 'enforce' });
  await own.move(story.id, 'To Do');
  expect(await failure(review(second.id))).toMatchObject({ code: 'CONFLICT' });
});

describe('a gate cannot be passed as something else than a task', () => {
  const as = (own: Setting['own'], id: string, type: 'task' | 'story', column?: string) =>
    own.update(id, { type, ...(column !== undefined && { boardColumnId: column }) });

  test.each(['Testing', 'Validating', 'To Document', 'Done'])('and come back as one in %s', async (column) => {
    const { own } = await projectWith('enforce');
    const { id, taskId } = await own.create('task');
    await as(own, id, 'story');
    await own.move(id, column);
    const refused = await failure(as(own, id, 'task'));
    expect(refused).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`${taskId} would be a task in ${column}`),
    });
    // With a move in the same call, that column counts.
    await as(own, id, 'task', 'In Progress');
    expect(await own.get(id)).toMatchObject({ type: 'task', columnName: 'In Progress' });
  });

  test('nor become one and pass in one call', async () => {
    const { own } = await projectWith('enforce');
    const { id } = await own.create('story', { column: 'To Do' });
    expect((await failure(as(own, id, 'task', 'Done'))).code).toBe('CONFLICT');
    expect(await own.get(id)).toMatchObject({ type: 'story', columnName: 'To Do' });
  });

  test('nor leave as something else what is being judged', async () => {
    const { own, handedOver } = await projectWith('enforce');
    const id = await handedOver();
    expect((await failure(as(own, id, 'story'))).code).toBe('CONFLICT');
  });

  test('where gates only warn, types change anywhere', async () => {
    const { own } = await projectWith('warn');
    const { id } = await own.create('story', { column: 'Done' });
    await as(own, id, 'task');
    expect(await own.get(id)).toMatchObject({ type: 'task', columnName: 'Done' });
  });
});

describe('no task passes an enforced gate by what is below it', () => {
  const withChild = async (own: Setting['own'], id: string) => {
    const below = await own.create('task', { parentId: id, column: 'To Document' });
    return call(own.caller, 'workItems.move', { workItemId: below.id, boardColumnId: 'Done' });
  };

  test.each(['Review', 'Testing', 'Validating'])('it stays in %s until its verdict', async (column) => {
    const { own } = await projectWith('enforce');
    const { id } = await own.create('task', { column });
    expect((await withChild(own, id)).cascaded).toEqual([]);
    expect(await own.get(id)).toMatchObject({ columnName: column });
  });

  test.each(['Backlog', 'In Progress'])(
    'what was in %s goes to its review, and what is above it begins',
    async (column) => {
      const { own } = await projectWith('enforce');
      const above = await own.create('task', { column: 'To Do' });
      const { id } = await own.create('task', { column, parentId: above.id });
      const { cascaded } = await withChild(own, id);
      expect(cascaded).toMatchObject([
        { id, fromColumn: column, toColumn: 'Review' },
        { id: above.id, fromColumn: 'To Do', toColumn: 'In Progress' },
      ]);
    },
  );

  test('what has passed follows to Done, and so does all where gates only warn', async () => {
    for (const [gates, column] of [
      ['enforce', 'To Document'],
      ['warn', 'Review'],
    ] as const) {
      const { own } = await projectWith(gates);
      const { id } = await own.create('task', { column });
      expect((await withChild(own, id)).cascaded).toMatchObject([{ id, toColumn: 'Done' }]);
    }
  });
});

test('a verdict that comes too late names the one that is due', async () => {
  const { review, validate, handedOver } = await projectWith('enforce');
  const id = await handedOver();
  expect((await failure(validate(id))).message).toContain('Complete its review first.');
  await review(id);
  expect((await failure(review(id))).message).toContain('It has passed its review: its validation is next');
});
