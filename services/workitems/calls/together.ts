import type { Operation, Output } from '@worktrack/contracts/operation';
import type { Call, Settled } from '@worktrack/rpc/types';
import type { Scope } from './scope.ts';

/**
 * Handles calls that arrived in one message with the queries of one: once per organization, since a query is limited to one organization.
 * @param answer handles the calls of one organization, in order
 */
export async function together<Op extends Operation>(
  calls: readonly Call<Op>[],
  answer: (scope: Scope, calls: readonly Call<Op>[]) => Promise<readonly Settled<Output<Op>>[]>,
): Promise<Settled<Output<Op>>[]> {
  const answers = new Map<Call<Op>, Settled<Output<Op>>>();
  const groups = Map.groupBy(calls, ({ context }) => context.caller.organizationId);
  await Promise.all(
    [...groups].map(async ([organizationId, group]) => {
      const settled = await answer({ caller: { organizationId } }, group);
      for (const [index, call] of group.entries()) answers.set(call, settled[index] as Settled<Output<Op>>);
    }),
  );
  return calls.map((call) => answers.get(call) as Settled<Output<Op>>);
}
