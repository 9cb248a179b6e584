import { permissionsOfTools } from '@worktrack/contracts/catalogue';
import type { ConnectionProblem } from '@worktrack/contracts/keys/connection';
import type { startConnection as operation } from '@worktrack/contracts/keys/oauth';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { StagedContext } from '@worktrack/runtime/database/handlers/contexts';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Clients, KnownClient, UnknownClient } from '../clients/clients.ts';
import { isAmong, isRedirectUri } from '../clients/redirect-uri.ts';
import type { ConnectionDocument } from './connections.model.ts';
import { insertConnection, takeLookup } from './connections.repository.ts';

type Given = Input<typeof operation>;
type Answer = Output<typeof operation>;

/** Of what is refused, and why. */
const MAX_SHOWN_LENGTH = 300;

/** The S256 of something: a SHA-256 in base64url (RFC 7636, 4.2). */
const S256 = /^[A-Za-z0-9_-]{43}$/;

/**
 * Keeps a request, or what is wrong with it: nobody is sent anywhere because of parameters that a stranger has made up. Fetching the client's document takes
 * its time, so it is done outside the transaction.
 */
export async function startConnection(
  clients: Clients,
  given: Given,
  context: StagedContext<FailureOf<typeof operation>, Answer>,
): Promise<Answer> {
  const { clientId } = given;
  const client = clientId === undefined || given.isMalformed ? undefined : await clients.find(clientId, given.network);
  return context.commit(async ({ tx }) => {
    const lookup = await takeLookup(tx, given.network);
    const document = connectionOf(given, client);
    const userAgent = lookup?.userAgent ?? given.userAgent;
    await insertConnection(tx, { ...document, userAgent, steps: { ...lookup?.steps, ...document.steps } });
    return { id: document._id };
  });
}

function connectionOf(given: Given, client: KnownClient | UnknownClient | undefined): ConnectionDocument {
  const at = new Date();
  const common = {
    ...{ _id: uuidv7(), organizationId: null, userId: null, clientName: null, clientUri: null, clientDomain: null },
    // Of what leads nowhere, only as much as a person needs to see: anybody can start any number.
    ...{
      clientId: given.clientId?.slice(0, MAX_SHOWN_LENGTH) ?? null,
      redirectUri: null,
      state: null,
      issuer: given.issuer,
    },
    ...{ network: given.network, userAgent: given.userAgent, grantId: null, createdAt: at },
  };
  if (!client) return { ...common, steps: { authorize: { at, problem: 'malformed' } } };
  if ('problem' in client) {
    const { problem, detail } = client;
    return { ...common, steps: { client: { at, problem, detail: detail.slice(0, MAX_SHOWN_LENGTH) } } };
  }
  const { id: clientId, name, uri, domain, redirectUris } = client;
  const { redirectUri } = given;
  const returnsTo = redirectUri !== undefined && isAmong(redirectUris, redirectUri) && isRedirectUri(redirectUri);
  const problem = returnsTo ? problemOf(given) : 'redirect-uri';
  const { resource, codeChallenge } = given;
  return {
    ...common,
    ...{ clientId, clientName: name, clientUri: uri, clientDomain: domain },
    ...(returnsTo && { redirectUri, state: given.state ?? null }),
    ...(!problem && resource && codeChallenge !== undefined
      ? { asked: { resource, codeChallenge, permissions: askedFor(given, resource) } }
      : {}),
    steps: {
      client: { at },
      authorize: {
        at,
        ...(problem && { problem }),
        ...(!returnsTo && { detail: `It names ${redirectUri?.slice(0, MAX_SHOWN_LENGTH) ?? 'none'}.` }),
      },
    },
  };
}

function problemOf(given: Given): ConnectionProblem | undefined {
  const { responseType, responseMode = 'query', codeChallenge = '', codeChallengeMethod, resource } = given;
  if (responseType !== 'code') return 'response-type';
  if (responseMode !== 'query') return 'response-mode';
  if (codeChallengeMethod !== 'S256' || !S256.test(codeChallenge)) return 'pkce';
  return resource ? undefined : 'resource';
}

/** Whatever else a client names is nothing of ours, and gives nothing. */
function askedFor({ permissions = [] }: Given, resource: 'connect' | 'connect/readonly') {
  const possible = permissionsOfTools().filter((each) => resource === 'connect' || each.endsWith(':read'));
  const asked = possible.filter((each) => permissions.includes(each));
  return asked.length > 0 ? asked : possible;
}
