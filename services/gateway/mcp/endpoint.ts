import { OperationError } from '@worktrack/contracts/errors';
import { callerOf } from '@worktrack/contracts/keys/identity';
import type { Log } from '@worktrack/rpc/types';
import type { FastifyInstance } from 'fastify';
import type { Refusals } from '../audit/refusals.ts';
import type { Clients } from '../clients.ts';
import { BODY_LIMIT_BYTES } from '../http/body-limit.ts';
import { failureHeaders, JSON_TYPE } from '../http/envelope.ts';
import { failureOf } from '../http/failure.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { senderOf } from '../http/sender.ts';
import { traceparentOf } from '../http/traceparent.ts';
import type { Authenticator } from '../identity/authenticate.ts';
import { authorize } from '../identity/authorize.ts';
import type { CallOrigin, Perform } from '../perform.ts';
import { originOfWait } from '../waits.ts';
import { mcpExchanges } from './exchange.ts';
import { requireModestSize } from './message-size.ts';
import { refuseForeignOrigins } from './origin.ts';
import { jsonRpcError, mcpFailureBody, mcpFailureHeaders } from './refusal.ts';
import { mcpServerMaker } from './server.ts';
import { SessionProjects } from './session-project.ts';
import { toolCatalogue } from './tools.ts';

/**
 * `POST /mcp`, stateless. What is refused before the protocol begins (origin, project, a body that is not JSON) has the envelope of REST, except for
 * what concerns the key (refusal.ts); what the protocol refuses is a JSON-RPC error; what a tool refuses is a result with `isError`.
 */
export function registerMcpEndpoint(
  app: FastifyInstance,
  needs: {
    readonly authenticator: Authenticator;
    readonly refusals: Refusals;
    readonly clients: Clients;
    readonly perform: Perform;
    readonly allowedOrigins: ReadonlySet<string>;
    readonly log: Log;
  },
): void {
  const projects = new SessionProjects(needs.clients);
  const serve = mcpExchanges(mcpServerMaker(toolCatalogue(), needs), needs.log);
  const byKey = authorize(needs.authenticator, [], 'key');

  app.route({
    method: 'POST',
    url: '/mcp',
    config: { failureBody: mcpFailureBody, failureHeaders: mcpFailureHeaders },
    onRequest: [refuseForeignOrigins(needs.allowedOrigins), byKey],
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
      const origin = (): CallOrigin => ({
        identity: request.identity,
        caller: callerOf(request.identity, projectId),
        sender: senderOf(request.identity, request),
        requestId: request.id,
        idempotencyKey,
        traceparent: traceparentOf(request),
        place: request.place,
        waits: originOfWait(request, reply, needs.authenticator),
      });
      const { status, body } = await serve(request, origin(), async () => {
        try {
          await byKey.call(app, request, reply);
          await app.takeAnotherPlace(request);
          return { origin: origin() };
        } catch (thrown) {
          const error = failureOf(thrown, { log: needs.log, requestId: request.id, bodyLimitBytes: BODY_LIMIT_BYTES });
          reply.headers({ ...failureHeaders(error), ...mcpFailureHeaders(error) });
          return { error: jsonRpcError(error, request.id) };
        }
      });
      reply.code(status);
      if (body === undefined) return reply.send();
      return reply.header('content-type', JSON_TYPE).send(body);
    },
  });
}
