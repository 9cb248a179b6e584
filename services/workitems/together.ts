import type { Operation, Output } from '@worktrack/contracts/operation';
import type { Call, Settled } from '@worktrack/rpc/types';
import type { Scope } from './scope.ts';

/**
 * Answers calls that came in one message by the queries of one: for each organization once, since a query is of one organization.
 * @param answer to the calls of one organization, in their order
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
