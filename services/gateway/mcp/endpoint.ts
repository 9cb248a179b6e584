import { type ErrorValue, OperationError } from '@worktrack/contracts/errors';
import { callerOf } from '@worktrack/contracts/keys/identity';
import { RESOURCES } from '@worktrack/contracts/keys/records';
import type { Log } from '@worktrack/rpc/types';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Refusals } from '../audit/refusals.ts';
import type { Clients } from '../clients.ts';
import { byApp, missingScopes, stepUpHeaders, withChallenge } from '../connect/access.ts';
import type { BaseUrl } from '../connect/addresses.ts';
import type { ConnectionSteps } from '../connect/steps.ts';
import { BODY_LIMIT_BYTES } from '../http/body/body-limit.ts';
import { failureHeaders, JSON_TYPE } from '../http/envelope.ts';
import { failureOf } from '../http/failure.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { senderOf } from '../http/sender.ts';
import type { Authenticator } from '../identity/authenticate.ts';
import { authorize } from '../identity/authorize.ts';
import type { CallOrigin, Perform } from '../perform.ts';
import { originOfWait } from '../waits.ts';
import type { Cancellations } from './cancellations.ts';
import { mcpExchanges } from './exchange.ts';
import { requireModestSize } from './message-size.ts';
import { refuseForeignOrigins } from './origin.ts';
import { jsonRpcError, mcpFailureBody, mcpFailureHeaders } from './refusal.ts';
import { mcpServerMaker } from './server.ts';
import { SessionProjects } from './session-project.ts';
import { toolCatalogue } from './tools.ts';

const FORBIDDEN = 403;

interface McpNeeds {
  readonly authenticator: Authenticator;
  readonly refusals: Refusals;
  readonly clients: Clients;
  readonly perform: Perform;
  readonly cancellations: Cancellations;
  readonly allowedOrigins: ReadonlySet<string>;
  readonly steps: ConnectionSteps;
  readonly baseUrl: BaseUrl;
  readonly log: Log;
}

/** Where messages come in, and with what. */
interface Entrance {
  readonly url: string;
  readonly admit: onRequestAsyncHookHandler;
  readonly failureHeaders: (error: ErrorValue, request: FastifyRequest) => Record<string, string>;
}

/**
 * `POST /mcp` for API keys, and the same for connected apps at `/connect` and `/connect/readonly`; nothing is stored of a client. Refusals have these forms:
 * - before the protocol begins (origin, project, a body that is not JSON), the envelope of REST, except for those that concern the key (refusal.ts);
 * - by the protocol, a JSON-RPC error;
 * - by a tool, a result with `isError`.
 */
export function registerMcpEndpoints(app: FastifyInstance, needs: McpNeeds): void {
  const { authenticator, cancellations, steps, baseUrl } = needs;
  const catalogue = toolCatalogue();
  const accessOf = (tool: string) => catalogue.byName.get(tool)?.operation.permissions;
  const projects = new SessionProjects(needs.clients);
  const serve = mcpExchanges(mcpServerMaker(catalogue, needs), needs.log);
  const foreign = refuseForeignOrigins(needs.allowedOrigins);

  const entrances: Entrance[] = [
    { url: '/mcp', admit: authorize(authenticator, [], 'key'), failureHeaders: mcpFailureHeaders },
    ...RESOURCES.map((resource) => ({
      url: `/${resource}`,
      admit: byApp(authenticator, resource, steps),
      failureHeaders: (error: ErrorValue, request: FastifyRequest) =>
        withChallenge(mcpFailureHeaders(error), resource, request, baseUrl),
    })),
  ];
  for (const { url, admit, failureHeaders: ownHeaders } of entrances) {
    app.route({
      method: 'POST',
      url,
      config: { failureBody: mcpFailureBody, failureHeaders: ownHeaders },
      onRequest: [foreign, admit],
      handler: async (request, reply) => {
        const { body: message } = request;
        if (message === undefined) {
          throw new OperationError('VALIDATION_FAILED', 'The body is empty: send a JSON-RPC message.', {
            details: [{ path: '', message: 'must be a JSON-RPC message' }],
          });
        }
        requireModestSize(message);
        const projectId = await projects.require(request.query, callerOf(request.identity), request.id);
        const idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key']);
        const origin = (): CallOrigin => {
          const caller = callerOf(request.identity, projectId);
          const waits = originOfWait(request, reply, authenticator);
          const gone = () =>
            AbortSignal.any([waits.gone(), cancellations.signalOf(message, { request, reply, caller })]);
          return {
            identity: request.identity,
            caller,
            sender: senderOf(request.identity, request),
            requestId: request.id,
            idempotencyKey,
            trace: request.trace,
            place: request.place,
            waits: { ...waits, gone },
          };
        };
        const first = origin();
        await cancellations.note(message, request, first.caller);
        const missing = missingScopes(message, request.identity, accessOf);
        const { status, body } = await serve(request, first, async () => {
          try {
            await admit.call(app, request, reply);
            await app.takeAnotherPlace(request);
            return { origin: origin() };
          } catch (thrown) {
            const error = failureOf(thrown, {
              log: needs.log,
              requestId: request.id,
              bodyLimitBytes: BODY_LIMIT_BYTES,
            });
            reply.headers({ ...failureHeaders(error), ...ownHeaders(error, request) });
            return { error: jsonRpcError(error, request.id) };
          }
        });
        tellSteps(message, request);
        cancellations.begin(message, reply);
        if (missing.length > 0) {
          // The result of the tool says it as well: clients show the one or the other.
          steps.missed(request.identity, missing);
          reply.code(FORBIDDEN).headers(stepUpHeaders(missing, request, baseUrl));
        } else reply.code(status);
        if (body === undefined) return reply.send();
        return reply.header('content-type', JSON_TYPE).send(body);
      },
    });
  }

  function tellSteps(message: unknown, { identity }: FastifyRequest): void {
    if (!identity.grant) return;
    steps.done(identity, 'initialize');
    if ((message as { readonly method?: unknown } | null)?.method === 'tools/call') steps.done(identity, 'tool');
  }
}
