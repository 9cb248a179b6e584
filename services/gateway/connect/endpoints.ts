import { hash, type KeyObject } from 'node:crypto';
import {
  ACCESS_TOKEN_MARK,
  AUTHORIZATION_MARK,
  isWellFormedKey,
  REFRESH_TOKEN_MARK,
} from '@worktrack/contracts/keys/key-format';
import { MAX_PARAMETER_LENGTH } from '@worktrack/contracts/keys/oauth';
import type { Resource } from '@worktrack/contracts/keys/records';
import type { Log } from '@worktrack/rpc/types';
import { derivedKey, newKey } from '@worktrack/runtime/process/new-key';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Redis } from '@worktrack/runtime/redis/connection';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clients } from '../clients.ts';
import { clientOf } from '../http/client-address.ts';
import { addressOf } from '../http/sender.ts';
import { presented } from '../identity/authenticate.ts';
import { limitTokenRequests } from '../limits/token-requests.ts';
import { OAuthFailure } from '../oauth/failure.ts';
import { comesTwice, formRoute, type Given, onceEach, required, takeForms } from '../oauth/form.ts';
import { permissionsIn, secondsUntil } from '../oauth/token.ts';
import { type BaseUrl, baseOf, issuerAt, resourceIn } from './addresses.ts';
import { forPages } from './cors.ts';

interface ConnectNeeds {
  readonly clients: Pick<Clients, 'keys'>;
  readonly redis: Redis;
  readonly log: Log;
  readonly tokenRequestsPerAddress: number;
  readonly addressSecret: KeyObject;
  /** Makes the next tokens of a refresh token: the same at all gateways. */
  readonly refreshSecret: KeyObject;
  readonly baseUrl: BaseUrl;
}

/** The same words for every fault of a code or a token: the person who has connected the app sees the cause (GET /api/connections). */
const NOT_ACCEPTED = 'It is unknown, over, used before, or of another client. Connect the app again.';
const ANOTHER_RESOURCE = 'resource is not the address that the app was connected with. Send that one, or none.';

/** The authorization server of connected apps: it sends browsers to the page where a person decides, and exchanges the codes that they bring back. */
export function registerConnectEndpoints(app: FastifyInstance, needs: ConnectNeeds): void {
  const limits = { ...needs, perAddress: needs.tokenRequestsPerAddress };
  app.register(async (own) => {
    limitTokenRequests(own, limits);
    own.get('/connect/authorize', async (request, reply) => {
      const id = await start(request, needs);
      // Never to the client: the person is shown the fault of its request, as well as what it asks for.
      return reply.header('referrer-policy', 'no-referrer').redirect(`/console/connect/${id}`, 302);
    });
  });
  app.register(async (own) => {
    takeForms(own);
    forPages(own);
    limitTokenRequests(own, limits);
    formRoute(own, '/connect/token', (form, request) => give(form, request, needs));
    formRoute(own, '/connect/revoke', (form, request) => revoke(form, request, needs));
  });
}

async function start(request: FastifyRequest, { clients, baseUrl, addressSecret }: ConnectNeeds): Promise<string> {
  const query = new URLSearchParams(request.url.split('?').slice(1).join('?'));
  const isTooLong = [...query.values()].some((value) => value.length > MAX_PARAMETER_LENGTH);
  const isMalformed = comesTwice(query) || isTooLong || !query.get('client_id');
  const given = (name: string) => (isMalformed ? undefined : query.get(name) || undefined);
  const base = baseOf(request, baseUrl);
  const resource = resourceIn(query.getAll('resource'), base) ?? 'connect';
  const scope = given('scope');
  const { userAgent } = addressOf(request);
  const { id } = await clients.keys.call(
    'connections.start',
    {
      clientId: given('client_id'),
      redirectUri: given('redirect_uri'),
      state: given('state'),
      responseType: given('response_type'),
      responseMode: given('response_mode'),
      codeChallenge: given('code_challenge'),
      codeChallengeMethod: given('code_challenge_method'),
      ...(resource !== 'foreign' && { resource }),
      ...(scope !== undefined && { permissions: permissionsIn(scope) }),
      ...{ isMalformed, issuer: issuerAt(base), network: clientOf(request, addressSecret), userAgent },
    },
    optionsOf(request),
  );
  return id;
}

async function give(form: URLSearchParams, request: FastifyRequest, needs: ConnectNeeds): Promise<object> {
  const given = onceEach(form);
  const grant = given('grant_type');
  const clientId = given('client_id');
  if (grant !== 'authorization_code' && grant !== 'refresh_token') {
    const kind = grant === undefined ? 'invalid_request' : 'unsupported_grant_type';
    throw new OAuthFailure(kind, 'Send grant_type: authorization_code or refresh_token.');
  }
  if (clientId === undefined || clientId.length > MAX_PARAMETER_LENGTH) {
    throw new OAuthFailure('invalid_client', 'Send client_id: clients here are public, and have no secret.');
  }
  const resource = resourceIn(form.getAll('resource'), baseOf(request, needs.baseUrl));
  const common = { clientId, ...(resource && { resource }), from: addressOf(request) };
  const { tokens, answer } = await (grant === 'refresh_token' ? refreshed : redeemed)(given, common, request, needs);
  if (answer.outcome === 'refused') {
    throw new OAuthFailure(answer.error, answer.error === 'invalid_target' ? ANOTHER_RESOURCE : NOT_ACCEPTED);
  }
  return {
    access_token: tokens.access,
    token_type: 'Bearer',
    expires_in: secondsUntil(answer.expiresAt),
    refresh_token: tokens.refresh,
    scope: answer.permissions.join(' '),
  };
}

interface Common {
  readonly clientId: string;
  readonly resource?: Resource | 'foreign';
  readonly from: ReturnType<typeof addressOf>;
}

async function redeemed(given: Given, common: Common, request: FastifyRequest, needs: ConnectNeeds) {
  const tokens = { access: newKey(ACCESS_TOKEN_MARK), refresh: newKey(REFRESH_TOKEN_MARK) };
  const network = clientOf(request, needs.addressSecret);
  const input = { ...common, ...presentedOf(tokens), ...proofIn(given), network };
  return { tokens, answer: await needs.clients.keys.call('connections.redeem', input, optionsOf(request)) };
}

/** The next tokens are made of the current one, and stored nowhere: of any number of requests with it at once, each gets these. */
async function refreshed(
  given: Given,
  common: Common,
  request: FastifyRequest,
  { clients, refreshSecret }: ConnectNeeds,
) {
  const current = required(given, 'refresh_token');
  if (!isWellFormedKey(current, REFRESH_TOKEN_MARK)) throw new OAuthFailure('invalid_grant', NOT_ACCEPTED);
  const tokens = {
    access: derivedKey(ACCESS_TOKEN_MARK, refreshSecret, current),
    refresh: derivedKey(REFRESH_TOKEN_MARK, refreshSecret, current),
  };
  // A `scope` is ignored, as RFC 6749, 3.3 allows, and the answer says what the token has. People allow less than apps ask for, and an app that asks for the same
  // again would be cut off after an hour.
  const input = { ...common, ...presentedOf(tokens), current: presented(current) };
  return { tokens, answer: await clients.keys.call('connections.refresh', input, optionsOf(request)) };
}

const presentedOf = ({ access, refresh }: { readonly access: string; readonly refresh: string }) => ({
  access: presented(access),
  refresh: presented(refresh),
});

/** RFC 7636, 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

function proofIn(given: Given) {
  const code = required(given, 'code');
  const verifier = required(given, 'code_verifier');
  const redirectUri = given('redirect_uri');
  if (!VERIFIER.test(verifier)) {
    throw new OAuthFailure(
      'invalid_request',
      'code_verifier must be 43 to 128 letters, digits and . _ ~ - (RFC 7636).',
    );
  }
  if (!isWellFormedKey(code, AUTHORIZATION_MARK) || (redirectUri?.length ?? 0) > MAX_PARAMETER_LENGTH) {
    throw new OAuthFailure('invalid_grant', NOT_ACCEPTED);
  }
  const challenge = hash('sha256', verifier, 'base64url');
  return { code: presented(code), challenge, ...(redirectUri !== undefined && { redirectUri }) };
}

/** RFC 7009: an unknown token is as good as revoked. */
async function revoke(form: URLSearchParams, request: FastifyRequest, { clients }: ConnectNeeds): Promise<object> {
  const given = onceEach(form);
  const token = required(given, 'token');
  const clientId = given('client_id')?.slice(0, MAX_PARAMETER_LENGTH);
  if (!isWellFormedKey(token, ACCESS_TOKEN_MARK) && !isWellFormedKey(token, REFRESH_TOKEN_MARK)) return {};
  const from = addressOf(request);
  const input = { token: presented(token), ...(clientId !== undefined && { clientId }), from };
  return await clients.keys.call('connections.endToken', input, optionsOf(request));
}

const optionsOf = (request: FastifyRequest) => ({
  requestId: request.id,
  trace: request.trace,
  idempotencyKey: uuidv7(),
});
