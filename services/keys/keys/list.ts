import type { listKeys as operation } from '@worktrack/contracts/keys/keys';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import { sessionById } from '../sessions/sessions.repository.ts';
import { keysOfOrganization } from './keys.repository.ts';

/** A key that is limited to projects finds only itself, and a session of one finds the key that it belongs to. */
export async function listKeys(
  input: Input<typeof operation>,
  context: ReadContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const { keyId, projects } = context.caller;
  if (!projects) return keysOfOrganization(context, input);
  return keysOfOrganization(context, input, (await sessionById(context, keyId))?.keyId ?? keyId);
}
