import type { deleteSource as deleteOp } from '@worktrack/contracts/feedback/sources';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { StagedContext } from '@worktrack/runtime/database/handlers/contexts';
import { commitAlone } from '@worktrack/runtime/database/writes/commit-alone';
import type { Duplicates } from '@worktrack/runtime/redis/duplicates';
import { changeSource, removeSource, sourceById } from '../sources/sources.repository.ts';
import { missing } from '../sources/sources.ts';
import type { TellingScope } from '../telling-scope.ts';
import { itemsOfSource } from './erasure.repository.ts';
import { eraseAll } from './erasure.ts';

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
    await commitAlone((scope) => close({ caller: context.caller, ...scope }, id));
    await eraseAll(duplicates, context, items());
  } else {
    for await (const _ of items()) {
      throw context.fail(
        'CONFLICT',
        'The source still has items with submitted content. Repeat with ?erase=true to erase it too, or disable the source to keep it.',
        { reason: 'not_empty' },
      );
    }
  }
  return context.commit(async (scope) => {
    if (!(await removeSource({ caller: context.caller, ...scope }, id))) missing(id, context);
    return { deleted: true, id };
  });
}

/** Once, also if the reply to its commit is lost. */
async function close(scope: TellingScope, id: string): Promise<void> {
  if ((await sourceById(scope, id))?.enabled) await changeSource(scope, id, { enabled: false });
}

const [BEFORE_ALL, AFTER_ALL] = [new Date(-8.64e15), new Date(8.64e15)];
