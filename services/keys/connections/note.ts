import type { noteSteps as operation } from '@worktrack/contracts/keys/oauth';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { Answered, Call } from '@worktrack/rpc/types';
import { grantById, noteMissed } from '../grants/grants.repository.ts';
import { noteLookup, noteStepOf } from './connections.repository.ts';

type Note = Input<typeof operation>['notes'][number];

/** What gateways have seen: of clients without a token, by their networks; of those with one, by their grants. Each may be told twice. */
export async function noteSteps(
  calls: readonly Call<typeof operation>[],
): Promise<Answered<Output<typeof operation>>[]> {
  for (const note of calls.flatMap(({ input }) => input.notes)) await keep(note);
  return calls.map(() => ({ output: {} }));
}

async function keep(note: Note): Promise<void> {
  const at = new Date(note.at);
  if ('network' in note) {
    const { network, userAgent, step, problem } = note;
    return noteLookup(network, userAgent, step ? { [step]: { at, ...(problem && { problem }) } } : {}, at);
  }
  const scope = { caller: { organizationId: note.organizationId } };
  if (note.missed) await noteMissed(scope, note.grantId, note.missed, at);
  const grant = note.step && (await grantById(scope, note.grantId));
  if (grant && note.step) await noteStepOf(grant, note.step, { at });
}
