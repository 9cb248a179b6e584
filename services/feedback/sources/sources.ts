import { randomInt } from 'node:crypto';
import type { Fail } from '@worktrack/contracts/errors';
import type { sourceByPublicKey } from '@worktrack/contracts/feedback/intake';
import { PUBLIC_KEY_MARK, PUBLIC_KEY_RANDOM_LENGTH } from '@worktrack/contracts/feedback/public-key';
import type { Source } from '@worktrack/contracts/feedback/records';
import {
  type createSource as createOp,
  MAX_SOURCES,
  type updateSource as updateOp,
} from '@worktrack/contracts/feedback/sources';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { Answered, Call } from '@worktrack/rpc/types';
import type { ReadContext, WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { oneAtATime } from '@worktrack/runtime/database/one-at-a-time';
import { changeSource, countSources, enabledSources, insertSource, sourceById } from './sources.repository.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export async function createSource(
  input: Input<typeof createOp>,
  context: WriteContext<'CONFLICT' | 'PERMISSION_DENIED'>,
): Promise<Source> {
  const { projects } = context.caller;
  // That a project exists for the caller was checked by the gateway.
  if (projects && !(input.projectId && projects.includes(input.projectId))) {
    throw ofOrganization(context, 'your key is limited to projects; pass one of them');
  }
  if ((await countSources(context)) >= MAX_SOURCES) {
    throw context.fail(
      'CONFLICT',
      `The organization has ${MAX_SOURCES} feedback sources already. Delete one that is no longer used.`,
      { reason: 'limit' },
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
  context: WriteContext<'NOT_FOUND' | 'PERMISSION_DENIED'>,
): Promise<Source> {
  if (change.projectId !== undefined && context.caller.projects) {
    throw ofOrganization(context, 'your key is limited to projects, so it cannot change this');
  }
  return (await changeSource(context, id, change)) ?? missing(id, context);
}

function ofOrganization({ fail }: { readonly fail: Fail<'PERMISSION_DENIED'> }, message: string) {
  return fail('PERMISSION_DENIED', `projectId: ${message}.`, { details: [{ path: 'projectId', message }] });
}

export function missing(id: string, { fail }: { readonly fail: Fail<'NOT_FOUND'> }): never {
  throw fail('NOT_FOUND', `There is no feedback source ${id}. GET /api/feedback/sources lists them.`);
}

/** Lookups that arrive together are one query. */
export async function sourcesByPublicKey(
  calls: readonly Call<typeof sourceByPublicKey>[],
): Promise<Answered<Output<typeof sourceByPublicKey>>[]> {
  const found = await enabledSources(calls.map(({ input }) => input.publicKey));
  return calls.map(({ input }) => ({ output: { source: found.get(input.publicKey) ?? null } }));
}
