import type { KeyObject } from 'node:crypto';
import type { ErrorCode } from '@worktrack/contracts/errors';
import { TRUST_TOKEN_MARK } from '@worktrack/contracts/keys/key-format';
import { MAX_JWT_LENGTH } from '@worktrack/contracts/keys/trust-tokens';
import { PERMISSIONS, type Permission } from '@worktrack/contracts/permissions';
import type { Log } from '@worktrack/rpc/types';
import { newKey } from '@worktrack/runtime/process/new-key';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Redis } from '@worktrack/runtime/redis/connection';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clients } from '../clients.ts';
import { PUBLIC_BODY_LIMIT_BYTES } from '../http/body-limit.ts';
import { JSON_TYPE } from '../http/envelope.ts';
import { traceparentOf } from '../http/traceparent.ts';
import { presented } from '../identity/authenticate.ts';
import { limitTokenRequests } from '../limits/token-requests.ts';

export const TOKEN_PATH = '/oauth/token';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const SUBJECT_TYPES: readonly string[] = [
  'urn:ietf:params:oauth:token-type:jwt',
  'urn:ietf:params:oauth:token-type:id_token',
];
/** The only parameters that may come more than once (RFC 8693, 2.1; RFC 6749, 3.2). */
const REPEATABLE: ReadonlySet<string> = new Set(['resource', 'audience']);

/** RFC 6749, 5.2, and RFC 8693, 2.2.2. */
type OAuthError =
  | 'invalid_request'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'temporarily_unavailable'
  | 'server_error';

/** Always the same words: whoever tries to find out which rules there are learns nothing. */
const WORDS: Readonly<Record<OAuthError, string>> = {
  invalid_request: 'The request is malformed: see the documentation of tokens for its parameters.',
  invalid_grant:
    'The JWT was not accepted. Whoever may read its rule of trust sees why: GET /api/trust-rules/:id/tries.',
  invalid_scope: 'None of these permissions is one of the rule.',
  invalid_target: 'Tokens are given for this service only.',
  unsupported_grant_type: `Use ${EXCHANGE} or ${JWT_BEARER}.`,
  temporarily_unavailable: 'This cannot be answered at the moment. Try again after Retry-After seconds.',
  server_error: 'The service failed unexpectedly. Try again; if it keeps failing, report the request id.',
};

class OAuthFailure extends Error {
  readonly error: OAuthError;
  constructor(error: OAuthError) {
    super(error);
    this.error = error;
  }
}

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
  // In a context of its own: no other route takes forms.
  app.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) =>
      done(null, new URLSearchParams(text as string)),
    );
    limitTokenRequests(own, { ...needs, perAddress: needs.tokenRequestsPerAddress });
    own.route({
      method: 'POST',
      url: TOKEN_PATH,
      bodyLimit: PUBLIC_BODY_LIMIT_BYTES,
      config: { failureBody: ({ code }, requestId) => bodyOf(errorOf(code), requestId) },
      handler: async (request, reply) => {
        reply.header('content-type', JSON_TYPE);
        try {
          return JSON.stringify(await exchange(request, needs));
        } catch (error) {
          if (!(error instanceof OAuthFailure)) throw error;
          return refuse(error.error, request, reply);
        }
      },
    });
  });
}

async function exchange(request: FastifyRequest, { clients, baseUrl }: TokenNeeds): Promise<Record<string, unknown>> {
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
  const given = onceEach(form);
  const grant = given('grant_type');
  const isExchange = grant === EXCHANGE;
  if (grant === undefined) throw new OAuthFailure('invalid_request');
  if (!isExchange && grant !== JWT_BEARER) throw new OAuthFailure('unsupported_grant_type');
  const jwt = given(isExchange ? 'subject_token' : 'assertion');
  if (jwt === undefined) throw new OAuthFailure('invalid_request');
  if (isExchange) requireKinds(given);
  requireOwn([...form.getAll('resource'), ...form.getAll('audience')], request, baseUrl());
  const scope = given('scope');
  if (jwt.length > MAX_JWT_LENGTH) throw new OAuthFailure('invalid_grant');

  const token = newKey(TRUST_TOKEN_MARK);
  const answer = await clients.keys.call(
    'trustTokens.exchange',
    { jwt, token: presented(token), ...(scope !== undefined && { permissions: permissionsIn(scope) }) },
    { requestId: request.id, traceparent: traceparentOf(request), idempotencyKey: uuidv7() },
  );
  switch (answer.outcome) {
    case 'granted':
      return {
        access_token: token,
        ...(isExchange && { issued_token_type: ACCESS_TOKEN }),
        token_type: 'Bearer',
        expires_in: Math.max(1, Math.floor((Date.parse(answer.expiresAt) - Date.now()) / 1_000)),
        scope: answer.permissions.join(' '),
      };
    case 'refused':
      throw new OAuthFailure('invalid_grant');
    case 'nothing left':
      throw new OAuthFailure('invalid_scope');
    case 'unavailable':
      throw new OAuthFailure('temporarily_unavailable');
  }
}

/** A parameter without a value counts as left out (RFC 6749, 3.2). */
function onceEach(form: URLSearchParams): (name: string) => string | undefined {
  const names = [...form.keys()];
  const doubled = names.find((name, index) => !REPEATABLE.has(name) && names.indexOf(name) !== index);
  if (doubled !== undefined) throw new OAuthFailure('invalid_request');
  return (name) => form.get(name) || undefined;
}

function requireKinds(given: (name: string) => string | undefined): void {
  const asked = given('requested_token_type');
  const fits =
    SUBJECT_TYPES.includes(given('subject_token_type') ?? '') &&
    (asked === undefined || asked === ACCESS_TOKEN) &&
    // Nobody acts on behalf of somebody else here.
    given('actor_token') === undefined &&
    given('actor_token_type') === undefined;
  if (!fits) throw new OAuthFailure('invalid_request');
}

function requireOwn(targets: readonly string[], request: FastifyRequest, baseUrl: string): void {
  const own = [new URL(baseUrl).host, request.host];
  const isForeign = (target: string) => !URL.canParse(target) || !own.includes(new URL(target).host);
  if (targets.some((target) => target !== '' && isForeign(target))) throw new OAuthFailure('invalid_target');
}

/** What is no permission of ours cannot be given; the answer says what was. */
function permissionsIn(scope: string): Permission[] {
  const asked = new Set(scope.split(' '));
  return PERMISSIONS.filter((permission) => asked.has(permission));
}

function errorOf(code: ErrorCode): OAuthError {
  if (code === 'INTERNAL') return 'server_error';
  const isLater = code === 'UNAVAILABLE' || code === 'DEADLINE_EXCEEDED' || code === 'RATE_LIMITED';
  return isLater ? 'temporarily_unavailable' : 'invalid_request';
}

const RETRY_AFTER_SECONDS = 5;

function refuse(error: OAuthError, request: FastifyRequest, reply: FastifyReply): string {
  if (error === 'temporarily_unavailable') reply.code(503).header('retry-after', `${RETRY_AFTER_SECONDS}`);
  else reply.code(400);
  return bodyOf(error, request.id);
}

function bodyOf(error: OAuthError, requestId: string): string {
  return JSON.stringify({ error, error_description: WORDS[error], request_id: requestId });
}
