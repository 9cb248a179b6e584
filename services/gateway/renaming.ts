import type { Operation } from '@worktrack/contracts/operation';
import type { CallOptions, Reply } from '@worktrack/rpc/types';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Clients } from './clients.ts';

const ID_OF_RENAMED: Readonly<Record<string, (input: unknown) => string | undefined>> = {
  'users.update': (input) => {
    const { id, name } = input as { readonly id: string; readonly name?: string };
    return name === undefined ? undefined : id;
  },
  'users.erase': (input) => (input as { readonly id: string }).id,
};

/**
 * Work items are assigned by name, in a database that knows nothing of users. So it is told a user's name before and after a change of the name. If this
 * process ends in between, the call was not answered. Its repetition tells the new name, and the name before is known by then.
 */
export async function tellingNames(
  operation: Operation,
  input: unknown,
  { keys, workitems }: Pick<Clients, 'keys' | 'workitems'>,
  { idempotencyKey: _, ...options }: CallOptions,
  run: () => Promise<Reply<unknown>>,
): Promise<Reply<unknown>> {
  const userId = ID_OF_RENAMED[operation.name]?.(input);
  if (userId === undefined) return await run();
  const tell = async () => {
    const { named } = await keys.call('users.nameOf', { id: userId }, options);
    if (named)
      await workitems.call('workItems.nameUser', { userId, ...named }, { ...options, idempotencyKey: uuidv7() });
  };
  await tell();
  const reply = await run();
  await tell();
  return reply;
}
