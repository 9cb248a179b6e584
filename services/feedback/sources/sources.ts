import { randomInt } from 'node:crypto';
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
import type { ReadContext, WriteContext } from '@worktrack/runtime/database/implement';
import {
  changeSource,
  countSources,
  enabledSources,
  insertSource,
  removeSource,
  sourceById,
} from './sources.repository.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export async function createSource(
  input: Input<typeof createOp>,
  { caller, tx, fail }: WriteContext<'CONFLICT'>,
): Promise<Source> {
  if ((await countSources(caller.organizationId, tx)) >= MAX_SOURCES) {
    throw fail(
      'CONFLICT',
      `The organization has ${MAX_SOURCES} feedback sources already. Delete one that is not used.`,
    );
  }
  return insertSource(caller.organizationId, { ...input, publicKey: newPublicKey() }, tx);
}

function newPublicKey(): string {
  const random = Array.from({ length: PUBLIC_KEY_RANDOM_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length)));
  return PUBLIC_KEY_MARK + random.join('');
}

export async function getSource({ id }: { readonly id: string }, context: ReadContext<'NOT_FOUND'>): Promise<Source> {
  return (await sourceById(context.caller.organizationId, id)) ?? missing(id, context);
}

export async function updateSource(
  { id, ...change }: Input<typeof updateOp>,
  context: WriteContext<'NOT_FOUND'>,
): Promise<Source> {
  const { caller, tx } = context;
  const found = async () => (await sourceById(caller.organizationId, id, tx)) ?? missing(id, context);
  await found();
  await changeSource(caller.organizationId, id, change, tx);
  return found();
}

export async function deleteSource(
  { id }: Input<typeof deleteOp>,
  context: WriteContext<'NOT_FOUND'>,
): Promise<Output<typeof deleteOp>> {
  if (!(await removeSource(context.caller.organizationId, id, context.tx))) missing(id, context);
  return { deleted: true, id };
}

function missing(id: string, { fail }: ReadContext<'NOT_FOUND'>): never {
  throw fail('NOT_FOUND', `There is no feedback source ${id}. GET /api/feedback/sources lists them.`);
}

/** The look-ups that arrive together are one query. */
export async function sourcesByPublicKey(
  calls: readonly Call<typeof sourceByPublicKey>[],
): Promise<Settled<Output<typeof sourceByPublicKey>>[]> {
  const found = await enabledSources(calls.map(({ input }) => input.publicKey));
  return calls.map(({ input }) => ({ output: { source: found.get(input.publicKey) ?? null } }));
}
