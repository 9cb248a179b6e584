import type { listKeys as operation } from '@worktrack/contracts/keys/keys';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { sessionById } from '../sessions/sessions.repository.ts';
import { keysOfOrganization } from './keys.repository.ts';

/** A key that is limited to projects finds only itself, and a session of one finds the key that it belongs to. */
export const listKeys: Read<typeof operation> = async (input, context) => {
  const { keyId, projects } = context.caller;
  if (!projects) return keysOfOrganization(context, input);
  return keysOfOrganization(context, input, (await sessionById(context, keyId))?.keyId ?? keyId);
};
