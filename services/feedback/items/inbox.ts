import type { listFeedback, updateFeedback } from '@worktrack/contracts/feedback/inbox';
import type { FeedbackItem } from '@worktrack/contracts/feedback/records';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { ReadContext, WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { searchParts, wordsOf } from '@worktrack/runtime/text/words';
import { sourceById } from '../sources/sources.repository.ts';
import type { Cursors } from './cursor.ts';
import { changeItem, itemById, newestItems } from './items.repository.ts';

type Query = Omit<Input<typeof listFeedback>, 'from' | 'to'> & Pick<Input<typeof listFeedback>, 'from' | 'to'>;

/** A page of the inbox, newest first; `nextCursor` is null on the last one. */
export async function pageOfInbox(
  cursors: Cursors,
  { limit, cursor, ...filter }: Query,
  context: ReadContext<'VALIDATION_FAILED'>,
): Promise<Output<typeof listFeedback>> {
  const { caller, fail } = context;
  const { status, category, sourceId, search = '', from, to } = filter;
  const list = [caller.organizationId, status, category, sourceId, search, from, to].map((part) => part ?? null);
  const after = cursor === undefined ? undefined : cursors.read(cursor, list);
  if (cursor !== undefined && !after) {
    const message = 'must be the nextCursor of an earlier page of this list, with the same filters; or leave it out';
    throw fail('VALIDATION_FAILED', `cursor: ${message}.`, { details: [{ path: 'cursor', message }] });
  }
  const words = wordsOf(search);
  // A search with only punctuation matches nothing; a blank one is no search at all.
  if (words.length === 0 && search.trim() !== '') return { items: [], nextCursor: null };
  // To a limited caller another project's source is an unknown one: it has no items.
  if (caller.projects && sourceId !== undefined && !(await sourceById(context, sourceId))) {
    return { items: [], nextCursor: null };
  }
  const items = await newestItems(
    context,
    {
      status,
      category,
      sourceId,
      searchParts: searchParts(words),
      fromMs: from === undefined ? undefined : Date.parse(from),
      toMs: to === undefined ? undefined : Date.parse(to),
    },
    after,
    // One more than requested shows whether there is another page.
    limit + 1,
  );
  const page = items.slice(0, limit);
  const last = page.at(-1);
  const nextCursor =
    items.length > limit && last ? cursors.write({ createdAtMs: Date.parse(last.createdAt), id: last.id }, list) : null;
  return { items: page, nextCursor };
}

export async function getItem(
  { id }: { readonly id: string },
  context: ReadContext<'NOT_FOUND'>,
): Promise<FeedbackItem> {
  return (await itemById(context, id)) ?? missing(id, context);
}

export async function updateStatus(
  { id, status }: Input<typeof updateFeedback>,
  context: WriteContext<'NOT_FOUND'>,
): Promise<FeedbackItem> {
  await requireItem(id, context);
  await changeItem(context, id, { status });
  return requireItem(id, context);
}

/** Its state in the transaction. */
export async function requireItem(id: string, context: WriteContext<'NOT_FOUND'>): Promise<FeedbackItem> {
  return (await itemById(context, id)) ?? missing(id, context);
}

function missing(id: string, { fail }: ReadContext<'NOT_FOUND'>): never {
  throw fail('NOT_FOUND', `There is no feedback item ${id}. List the inbox to see the existing ids.`);
}
