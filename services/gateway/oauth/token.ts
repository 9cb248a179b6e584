import type { KeyObject } from 'node:crypto';
import { TRUST_TOKEN_MARK } from '@worktrack/contracts/keys/key-format';
import { MAX_JWT_LENGTH } from '@worktrack/contracts/keys/trust-tokens';
import { PERMISSIONS, type Permission } from '@worktrack/contracts/permissions';
import type { Log } from '@worktrack/rpc/types';
import { newKey } from '@worktrack/runtime/process/new-key';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Redis } from '@worktrack/runtime/redis/connection';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clients } from '../clients.ts';
import { presented } from '../identity/authenticate.ts';
import { TokenRequests } from '../limits/token-requests.ts';
import { OAuthFailure } from './failure.ts';
import { Floods } from './floods.ts';
import { formRoute, type Given, onceEach, required, takeForms } from './form.ts';

export const TOKEN_PATH = '/oauth/token';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const SUBJECT_TYPES: readonly string[] = [
  'urn:ietf:params:oauth:token-type:jwt',
  'urn:ietf:params:oauth:token-type:id_token',
];

/** Always the same words: whoever tries to find out which rules there are learns nothing. */
const NOT_ACCEPTED =
  'The JWT was not accepted. Whoever may read its rule of trust sees why: GET /api/trust-rules/:id/tries.';

const notAccepted = () => new OAuthFailure('invalid_grant', NOT_ACCEPTED);

interface TokenNeeds {
  readonly clients: Pick<Clients, 'keys'>;
  readonly redis: Redis;
  readonly log: Log;
  readonly tokenRequestsPerAddress: number;
  readonly addressSecret: KeyObject;
  /** Where clients reach the service. */
  readonly baseUrl: () => string;
}

/** Where a JWT that a rule of trust believes is exchanged for a token of that rule: by RFC 8693, or by RFC 7523. */
export function registerTokenEndpoint(app: FastifyInstance, needs: TokenNeeds): void {
  const floods = new Floods();
  const requests = new TokenRequests({ ...needs, perAddress: needs.tokenRequestsPerAddress });
  app.register(async (own) => {
    takeForms(own);
    requests.refuseKnown(own);
    formRoute(own, TOKEN_PATH, async (form, request) => {
      const outcome = floods.outcomeOf(form.get('subject_token') ?? form.get('assertion') ?? '');
      if (outcome) {
        // Not counted: in a flood from their address, too, jobs get their tokens.
        throw outcome === 'refused' ? notAccepted() : new OAuthFailure('temporarily_unavailable');
      }
      await requests.count(request);
      return await exchange(form, request, { ...needs, floods });
    });
  });
}

async function exchange(
  form: URLSearchParams,
  request: FastifyRequest,
  { clients, baseUrl, floods }: TokenNeeds & { readonly floods: Floods },
): Promise<Record<string, unknown>> {
  const given = onceEach(form);
  const grant = given('grant_type');
  const isExchange = grant === EXCHANGE;
  if (!isExchange && grant !== JWT_BEARER) {
    const kind = grant === undefined ? 'invalid_request' : 'unsupported_grant_type';
    throw new OAuthFailure(kind, `Send grant_type: ${EXCHANGE} or ${JWT_BEARER}.`);
  }
  const jwt = required(given, isExchange ? 'subject_token' : 'assertion');
  if (isExchange) requireKinds(given);
  requireOwn([...form.getAll('resource'), ...form.getAll('audience')], request, baseUrl());
  const scope = given('scope');
  if (jwt.length > MAX_JWT_LENGTH) throw notAccepted();

  const token = newKey(TRUST_TOKEN_MARK);
  const input = { jwt, token: presented(token), ...(scope !== undefined && { permissions: permissionsIn(scope) }) };
  const options = { requestId: request.id, trace: request.trace, idempotencyKey: uuidv7() };
  let answer = await clients.keys.call('trustTokens.exchange', input, options);
  if (answer.outcome === 'asking') answer = await clients.keys.call('trustTokens.exchangeWaiting', input, options);
  floods.learn(jwt, 'flood' in answer && answer.flood ? { outcome: answer.outcome, ...answer.flood } : undefined);
  switch (answer.outcome) {
    case 'granted':
      return {
        access_token: token,
        ...(isExchange && { issued_token_type: ACCESS_TOKEN }),
        token_type: 'Bearer',
        expires_in: secondsUntil(answer.expiresAt),
        scope: answer.permissions.join(' '),
      };
    case 'refused':
      throw notAccepted();
    case 'nothing left':
      throw new OAuthFailure('invalid_scope', 'None of these permissions is one of the rule.');
    case 'unavailable':
    case 'asking':
      throw new OAuthFailure('temporarily_unavailable');
  }
}

export function secondsUntil(expiresAt: string): number {
  return Math.max(1, Math.floor((Date.parse(expiresAt) - Date.now()) / 1_000));
}

function requireKinds(given: Given): void {
  required(given, 'subject_token_type', SUBJECT_TYPES);
  if ((given('requested_token_type') ?? ACCESS_TOKEN) !== ACCESS_TOKEN) {
    throw new OAuthFailure('invalid_request', `Leave out requested_token_type, or send ${ACCESS_TOKEN}.`);
  }
  if (given('actor_token') !== undefined || given('actor_token_type') !== undefined) {
    throw new OAuthFailure('invalid_request', 'Leave out actor_token: nobody acts on behalf of somebody else here.');
  }
}

function requireOwn(targets: readonly string[], request: FastifyRequest, baseUrl: string): void {
  const own = [new URL(baseUrl).host, request.host];
  const isForeign = (target: string) => !URL.canParse(target) || !own.includes(new URL(target).host);
  if (targets.some((target) => target !== '' && isForeign(target))) {
    throw new OAuthFailure('invalid_target', 'Tokens are given for this service only.');
  }
}

/** Scopes that are none of our permissions cannot be given; the answer lists those that were. */
export function permissionsIn(scope: string): Permission[] {
  const asked = new Set(scope.split(' '));
  return PERMISSIONS.filter((permission) => asked.has(permission));
}
