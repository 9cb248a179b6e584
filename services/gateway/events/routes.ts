import { OperationError } from '@worktrack/contracts/errors';
import { callerOf } from '@worktrack/contracts/keys/identity';
import type { Log } from '@worktrack/rpc/types';
import { registry } from '@worktrack/runtime/process/metrics';
import type { Redis } from '@worktrack/runtime/redis/connection';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge } from 'prom-client';
import type { Clients } from '../clients.ts';
import { endSpan } from '../http/observe.ts';
import type { Authenticator } from '../identity/authenticate.ts';
import { authorize } from '../identity/authorize.ts';
import { keyOf } from '../limits/call-places.ts';
import { originOfWait } from '../waits.ts';
import { Interest } from './interest.ts';
import { ListenerIdentity } from './listener-identity.ts';
import type { LiveLog, OrganizationFeed } from './live-log.ts';
import { END_REASONS, EventStream } from './stream.ts';
import { StreamPlaces } from './stream-places.ts';

const STREAM_PATH = '/api/events/stream';

const open = new Gauge({
  name: 'worktrack_event_streams',
  help: 'Open event streams.',
  registers: [registry],
});
const ended = new Counter({
  name: 'worktrack_event_streams_ended_total',
  help: `Event streams that have ended, by reason: ${END_REASONS.join(', ')}.`,
  labelNames: ['reason'],
  registers: [registry],
});
for (const reason of END_REASONS) ended.inc({ reason }, 0);

interface StreamNeeds {
  readonly authenticator: Authenticator;
  readonly clients: Clients;
  readonly redis: Redis;
  readonly log: Log;
  readonly liveLog: LiveLog;
}

/** The log as Server-Sent Events. */
export function registerEventStream(app: FastifyInstance, needs: StreamNeeds): void {
  const { authenticator, clients, redis, log, liveLog } = needs;
  const places = new StreamPlaces(redis, log);
  app.addHook('onClose', () => places.stop());

  app.route({
    method: 'GET',
    url: STREAM_PATH,
    // A HEAD would wait for the end of the stream.
    exposeHeadRoute: false,
    // The same permission as events.list: which events are visible is decided one by one.
    onRequest: authorize(authenticator, []),
    handler: async (request, reply) => {
      const { identity } = request;
      const interest = new Interest(request.query, lastEventIdOf(request), clients.events);
      const { gone, identify } = originOfWait(request, reply, authenticator);
      const left = gone();
      const giveBack = await places.take(keyOf(identity));
      try {
        // From here on it waits, and no longer counts as a call that keeps others of its organization waiting.
        request.place?.leave();
        const stream = new EventStream({
          out: reply.raw,
          identity: new ListenerIdentity(identity, identify),
          interest,
          requestId: request.id,
        });
        const feed = await liveLog.join(identity.organization.id, stream);
        try {
          const after = await beginning(feed, interest, request);
          if (left.aborted) throw stopping();
          begin(reply);
          endSpan(request, STREAM_PATH, 200);
          open.inc();
          left.addEventListener('abort', () => stream.end(app.stopping.aborted ? 'stopping' : 'left'));
          ended.inc({ reason: await stream.run(feed, after) });
          open.dec();
        } finally {
          liveLog.leave(identity.organization.id, feed, stream);
        }
      } finally {
        giveBack();
      }
      return reply;
    },
  });
}

/** @throws OperationError CURSOR_EXPIRED before the stream starts, so that its status says so */
async function beginning(feed: OrganizationFeed, interest: Interest, request: FastifyRequest): Promise<number> {
  const { after } = interest;
  if (after === undefined) return feed.recent.head;
  if (!feed.recent.after(after)) await interest.read(callerOf(request.identity), after, request.id);
  return after;
}

/** Not read if the client has gone. */
function stopping(): OperationError {
  return new OperationError('UNAVAILABLE', 'This gateway is stopping. Connect again.', { retryAfterSeconds: 1 });
}

function begin(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    // Proxies such as nginx would otherwise buffer events until a buffer is full.
    'x-accel-buffering': 'no',
  });
}

function lastEventIdOf({ headers }: FastifyRequest): string | undefined {
  const value = headers['last-event-id'];
  return Array.isArray(value) ? value[0] : value;
}
