import type { registerClient as operation } from '@worktrack/contracts/keys/oauth';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { insertRegistered } from './clients.repository.ts';
import { nameIn, uriIn } from './document.ts';
import { isRedirectUri } from './redirect-uri.ts';

/** Takes a client at its word (RFC 7591): nothing that it says is proven, which whoever decides about it is told. */
export const registerClient: WriteAlone<typeof operation> = async ({ name, uri, redirectUris }, { tx }) => {
  const wrong = redirectUris.find((each) => !isRedirectUri(each));
  if (wrong !== undefined) return { outcome: 'refused', redirectUri: wrong };
  const client = await insertRegistered(tx, {
    name: nameIn(name) ?? 'An app without a name',
    uri: uriIn(uri),
    redirectUris: [...new Set(redirectUris)],
  });
  return { outcome: 'registered', id: client._id, name: client.name, createdAt: client.createdAt.toISOString() };
};
