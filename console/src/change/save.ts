import type { RawInput } from '@worktrack/contracts/operation';
import type { updateWorkItem } from '@worktrack/contracts/work-items/changes/update';
import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import type { PlainField } from '@worktrack/contracts/work-items/plain-fields';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { currentOf } from '../api/service-error.ts';
import { forgetReason } from '../parts/item/reason.tsx';
import { tell, tellFailure } from '../parts/popup/toasts.tsx';
import { did } from '../parts/popup/undo.ts';
import { insisting } from './by-hand.ts';
import { words } from './messages.ts';
import { showChange, showTrue } from './shown.ts';

/** An item as it was when a change began. */
export type Base = Pick<WorkItem, 'id' | 'taskId' | 'version'> & Partial<Omit<WorkItem, 'id' | 'taskId' | 'version'>>;

export type Changes = Pick<
  RawInput<typeof updateWorkItem>,
  | PlainField
  | 'title'
  | 'description'
  | 'type'
  | 'assignee'
  | 'boardColumnId'
  | 'parentId'
  | 'dependsOn'
  | 'labels'
  | 'reason'
  | 'force'
  | 'takeOver'
>;

/** How often others may change other fields at the same time. */
export const MAX_ATTEMPTS = 5;

/** Somebody else has changed the same field. */
export class Overtaken extends Error {
  readonly current: WorkItem;

  constructor(current: WorkItem) {
    super(words.overtaken({ what: current.taskId }));
    this.current = current;
  }
}

/**
 * Saves changes to an item as it was when they started. If others have changed other fields since, that is not a conflict.
 * @param upon the item as it was later, if that is known, with the same in these fields
 * @throws Overtaken if they have changed the same ones
 */
export async function saveItem(base: Base, changes: Changes, upon = base): Promise<WorkItem> {
  let known = upon;
  for (let attempts = 1; ; attempts++) {
    try {
      const input = { id: base.id, ...changes };
      const saved = await call<typeof updateWorkItem>('PATCH /api/work-items/:id', input, { version: known.version });
      showItem(saved);
      return saved;
    } catch (error) {
      const current = currentOf<WorkItem>(error);
      if (!current) throw error;
      showItem(current);
      if (!isSame(base, current, changes) || attempts >= MAX_ATTEMPTS) throw new Overtaken(current);
      known = current;
    }
  }
}

/** What was saved of an item here. */
interface Own {
  readonly item: WorkItem;
  readonly fields: Partial<Base>;
}

/**
 * The current or last change of each item made here. A saved change is shown only after a moment, and until then the user chooses on top of what was shown
 * before. Without this, a label that was removed right after another had been added stayed, as if somebody else had changed the labels.
 */
const changing = new Map<string, Promise<Own | undefined>>();

/**
 * Saves, says so and offers to undo it; reports a refusal, and asks about what can be done anyway. Changes of one item are saved one after the other, each on
 * top of those before it. So a second change, made before the first is answered, does not conflict with it, and prevails.
 * @param changes or what they are, given the item as it is when it is their turn
 * @param shown what a card shows then, if it is not what is changed
 * @returns what was saved; undefined: it was not
 */
export async function changeItem(
  base: Base,
  changes: Changes | ((now: Base) => Changes),
  shown: Partial<Card> = typeof changes === 'function' ? {} : onCard(changes),
): Promise<WorkItem | undefined> {
  const { id } = base;
  showChange([{ id, fields: shown }]);
  const earlier = changing.get(id);
  let saved: WorkItem | undefined;
  const turn = (async () => {
    const own = await earlier;
    const later = own && own.item.version > base.version ? own : undefined;
    const now = { ...base, ...later?.fields };
    const wanted = typeof changes === 'function' ? changes(now) : changes;
    const upon = later && isSame(now, later.item, wanted) ? later.item : now;
    saved = await saveAndSay(now, wanted, upon);
    return saved ? { item: saved, fields: { ...own?.fields, ...pick(saved, wanted) } } : own;
  })();
  changing.set(id, turn);
  await turn;
  return saved;
}

function pick(item: WorkItem, changes: Changes): Partial<Base> {
  const names = fieldsOf(changes).map((field) => (field === 'dependsOn' ? 'metadata' : field));
  return Object.fromEntries(names.map((name) => [name, item[name]]));
}

async function saveAndSay(base: Base, changes: Changes, upon: Base): Promise<WorkItem | undefined> {
  const what = base.taskId;
  try {
    const saved = await insisting((how) => saveItem(base, { ...changes, ...how }, upon));
    if (!saved) return undefined;
    if (changes.reason !== undefined) forgetReason(what);
    did(words.changed({ what }), () => saveItem(saved, inverseOf(base, changes)));
    return saved;
  } catch (error) {
    if (error instanceof Overtaken) tell(error.message, { label: words.understood, run: () => {} });
    else tellFailure(words.notChanged({ what }), error);
    return undefined;
  } finally {
    showTrue([base.id]);
  }
}

/** Labels and dependencies are known by other names there. */
export function onCard({
  labels: _,
  dependsOn: __,
  description: ___,
  reason: ____,
  ...fields
}: Changes): Partial<Card> {
  return fields as Partial<Card>;
}

/** Whether these fields of an item are still what they were. */
export function isSame(before: Base, now: Base, changes: Changes): boolean {
  return fieldsOf(changes).every(
    (field) => JSON.stringify(valueIn(before, field)) === JSON.stringify(valueIn(now, field)),
  );
}

/** The changes that lead back. */
export function inverseOf(before: Base, changes: Changes): Changes {
  return Object.fromEntries(fieldsOf(changes).map((field) => [field, valueIn(before, field)]));
}

type Field = Exclude<keyof Changes, 'reason' | 'force' | 'takeOver'>;
const SAID: readonly string[] = ['reason', 'force', 'takeOver'] satisfies (keyof Changes)[];
const fieldsOf = (changes: Changes) => Object.keys(changes).filter((field) => !SAID.includes(field)) as Field[];

/** As a change would set it. */
function valueIn(item: Base, field: Field): unknown {
  switch (field) {
    case 'labels':
      return item.labels?.map(({ id }) => id);
    case 'dependsOn':
      return item.metadata?.dependsOn ?? [];
    default:
      return item[field];
  }
}

/** The latest known state of an item, under each name by which it is viewed. */
function showItem(item: WorkItem): void {
  for (const name of [item.id, item.taskId]) {
    queries.setQueryData<WorkItem>(['item', name], (shown) => (shown && shown.version > item.version ? shown : item));
  }
}
