import { randomInt } from 'node:crypto';
import type { Fail } from '@worktrack/contracts/errors';
import type { sourceByPublicKey } from '@worktrack/contracts/feedback/intake';
import { PUBLIC_KEY_MARK, PUBLIC_KEY_RANDOM_LENGTH } from '@worktrack/contracts/feedback/public-key';
import type { Source } from '@worktrack/contracts/feedback/records';
import {
  type createSource as createOp,
  type deleteSource as deleteOp,
  MAX_SOURCES,
  type updateSource as updateOp,
} from '@worktrack/contracts/feedback/sources';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { Call, Settled } from '@worktrack/rpc/types';
import { commitAlone } from '@worktrack/runtime/database/commit-alone';
import type { ReadContext, StagedContext, WriteContext } from '@worktrack/runtime/database/contexts';
import { oneAtATime } from '@worktrack/runtime/database/one-at-a-time';
import type { Duplicates } from '../items/duplicates.ts';
import { itemsOfSource } from '../items/erasure.repository.ts';
import { eraseAll } from '../items/erasure.ts';
import {
  changeSource,
  countSources,
  enabledSources,
  insertSource,
  removeSource,
  sourceById,
} from './sources.repository.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export async function createSource(input: Input<typeof createOp>, context: WriteContext<'CONFLICT'>): Promise<Source> {
  if ((await countSources(context)) >= MAX_SOURCES) {
    throw context.fail(
      'CONFLICT',
      `The organization has ${MAX_SOURCES} feedback sources already. Delete one that is no longer used.`,
    );
  }
  await oneAtATime(context, 'sources');
  return insertSource(context, { ...input, publicKey: newPublicKey() });
}

function newPublicKey(): string {
  const random = Array.from({ length: PUBLIC_KEY_RANDOM_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length)));
  return PUBLIC_KEY_MARK + random.join('');
}

export async function getSource({ id }: { readonly id: string }, context: ReadContext<'NOT_FOUND'>): Promise<Source> {
  return (await sourceById(context, id)) ?? missing(id, context);
}

export async function updateSource(
  { id, ...change }: Input<typeof updateOp>,
  context: WriteContext<'NOT_FOUND'>,
): Promise<Source> {
  return (await changeSource(context, id, change)) ?? missing(id, context);
}

/**
 * Closed first, then its contents are erased in batches, then it is deleted: an interrupted call is repeated and finishes. What a gateway still admits in
 * the two seconds in which it may not know, the daily pass erases.
 */
export async function deleteSource(
  duplicates: Duplicates,
  { id, erase }: Input<typeof deleteOp>,
  context: StagedContext<'NOT_FOUND' | 'CONFLICT', Output<typeof deleteOp>>,
): Promise<Output<typeof deleteOp>> {
  if (!(await sourceById(context, id))) missing(id, context);
  const items = () => itemsOfSource(context, id, BEFORE_ALL, AFTER_ALL);
  if (erase) {
    await commitAlone((scope) => changeSource({ caller: context.caller, ...scope }, id, { enabled: false }));
    await eraseAll(duplicates, context, items());
  } else {
    for await (const _ of items()) {
      throw context.fail(
        'CONFLICT',
        'The source still has items with submitted content. Repeat with ?erase=true to erase it too, or disable the source to keep it.',
      );
    }
  }
  return context.commit(async (scope) => {
    if (!(await removeSource({ caller: context.caller, ...scope }, id))) missing(id, context);
    return { deleted: true, id };
  });
}

const [BEFORE_ALL, AFTER_ALL] = [new Date(-8.64e15), new Date(8.64e15)];

function missing(id: string, { fail }: { readonly fail: Fail<'NOT_FOUND'> }): never {
  throw fail('NOT_FOUND', `There is no feedback source ${id}. GET /api/feedback/sources lists them.`);
}

/** Lookups that arrive together are one query. */
export async function sourcesByPublicKey(
  calls: readonly Call<typeof sourceByPublicKey>[],
): Promise<Settled<Output<typeof sourceByPublicKey>>[]> {
  const found = await enabledSources(calls.map(({ input }) => input.publicKey));
  return calls.map(({ input }) => ({ output: { source: found.get(input.publicKey) ?? null } }));
}
