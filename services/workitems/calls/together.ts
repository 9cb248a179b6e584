import type { Operation, Output } from '@worktrack/contracts/operation';
import type { Answered, Call } from '@worktrack/rpc/types';
import type { Scope } from './scope.ts';
import { limitsOf } from './within.repository.ts';

/**
 * Handles calls that arrived in one message with the queries of one: once per organization and limit, since a query is about what exists for its caller.
 * @param answer handles the calls for which the same exists, in order
 */
export async function together<Op extends Operation>(
  calls: readonly Call<Op>[],
  answer: (scope: Scope, calls: readonly Call<Op>[]) => Promise<readonly Answered<Output<Op>>[]>,
): Promise<Answered<Output<Op>>[]> {
  const answers = new Map<Call<Op>, Answered<Output<Op>>>();
  const groups = Map.groupBy(calls, ({ context }) => limitsOf(context.caller));
  await Promise.all(
    [...groups.values()].map(async (group) => {
      const [first] = group;
      if (!first) return;
      const { organizationId, projects } = first.context.caller;
      const answered = await answer({ caller: { organizationId, ...(projects && { projects }) } }, group);
      for (const [index, call] of group.entries()) answers.set(call, answered[index] as Answered<Output<Op>>);
    }),
  );
  return calls.map((call) => answers.get(call) as Answered<Output<Op>>);
}
