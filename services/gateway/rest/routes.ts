import { allOperations } from '@worktrack/contracts/catalogue';
import { callerOf } from '@worktrack/contracts/keys/identity';
import type { Operation } from '@worktrack/contracts/operation';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE, successBody } from '../http/envelope.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { senderOf } from '../http/sender.ts';
import type { Authenticator } from '../identity/authenticate.ts';
import { authorize } from '../identity/authorize.ts';
import type { Perform } from '../perform.ts';
import { originOfWait } from '../waits.ts';
import { inputReader } from './input.ts';
import { type Route, routeOf } from './route.ts';

interface RestNeeds {
  readonly authenticator: Authenticator;
  readonly perform: Perform;
}

/** One route for every operation that has `rest`. */
export function registerRestRoutes(app: FastifyInstance, needs: RestNeeds): void {
  for (const operation of allOperations()) {
    const route = routeOf(operation);
    // Byte streams are written by hand, alongside the contracts.
    if (!route || operation.bytes) continue;
    app.route({
      method: route.method,
      url: route.path,
      config: { operation },
      onRequest: authorize(needs.authenticator, operation.permissions),
      handler: handlerOf(operation, route, needs),
    });
  }
}

function handlerOf(operation: Operation, route: Route, { authenticator, perform }: RestNeeds) {
  const readInput = inputReader(operation);
  const status = operation.effect === 'create' ? 201 : 200;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const { headers, identity } = request;
    const { output, replayed } = await perform(
      operation,
      readInput({ params: request.params, query: request.query, body: request.body, ifMatch: headers['if-match'] }),
      {
        identity,
        caller: callerOf(identity),
        sender: senderOf(identity, request),
        requestId: request.id,
        idempotencyKey: route.method === 'GET' ? undefined : idempotencyKeyOf(headers['idempotency-key']),
        trace: request.trace,
        place: request.place,
        waits: originOfWait(request, reply, authenticator),
      },
    );
    reply.code(wasThere(output) ? 200 : status).header('content-type', JSON_TYPE);
    if (replayed) reply.header('idempotency-replayed', 'true');
    const version = versionOf(output);
    // The value that If-Match accepts.
    if (version !== undefined) reply.header('etag', `"${version}"`);
    return successBody(output);
  };
}

/** What was to be created already existed, and was not changed. */
function wasThere(output: unknown): boolean {
  return ((output ?? {}) as { readonly created?: unknown }).created === false;
}

function versionOf(output: unknown): number | undefined {
  const { version } = (output ?? {}) as { readonly version?: unknown };
  return typeof version === 'number' ? version : undefined;
}
