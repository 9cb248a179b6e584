import type { Socket } from 'node:net';
import type { Identity } from '@worktrack/contracts/keys/identity';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BODY_LIMIT_BYTES } from '../http/body/body-limit.ts';
import { FairShare, type FairShareLimits, type Slot, type WhenGone } from './fair-share.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Among its organization's calls in progress; for a call with an API key, from the arrival of its body to the end of its answer. */
    place: Slot | undefined;
  }
  interface FastifyInstance {
    /** Waits until a request's call has its place. Returns at once without an API key, or if it already has one. */
    takePlace(request: FastifyRequest, bodyBytes: number): Promise<void>;
    /** For the next message of a batch, which waits its turn like a request of its own. */
    takeAnotherPlace(request: FastifyRequest): Promise<void>;
  }
}

/**
 * Each call with an API key takes its place among its organization's before its body is parsed, and gives it back with its answer. Not when
 * its connection ends: what it has begun continues without it. Each message of a batch takes its own. A body still to come holds no place. Byte streams, which run at
 * the client's pace, have places of their own (transfers.ts).
 */
export function shareCallsFairly(app: FastifyInstance, limits: FairShareLimits): void {
  const share = new FairShare(limits);
  app.decorateRequest('place', undefined);
  app.decorate('takePlace', async (request: FastifyRequest, bodyBytes: number) => {
    const { identity, raw, routeOptions } = request;
    if (identity === null || request.place || routeOptions.config.streamsBody) return;
    request.place = await share.enter(identity.organization.id, keyOf(identity), bodyBytes, whenClosed(raw.socket));
  });
  app.decorate('takeAnotherPlace', async (request: FastifyRequest) => {
    request.place?.leave();
    request.place = undefined;
    await app.takePlace(request, Number(request.headers['content-length'] ?? BODY_LIMIT_BYTES));
  });
  // For requests without a body.
  app.addHook('preHandler', (request) => app.takePlace(request, 0));
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.place?.leave();
    done(null, payload);
  });
}

export function whenClosed(socket: Socket): WhenGone {
  return (abandon) => {
    socket.once('close', abandon);
    return () => socket.off('close', abandon);
  };
}

/**
 * All tokens of a rule use one share, and so do those of an app, whose key is its grant. A session uses the share of the key it was created with, and a rotated
 * key that of the key it replaced. Otherwise each of them would give a key another share. But a session of another user, who was invited with the key, uses one
 * of that user's, as its rate is counted. Otherwise everybody invited with one key would share a single share.
 */
export function keyOf({ key, session, rule, rotatedFrom, user }: Identity): string {
  const id = rotatedFrom ?? session?.keyId ?? rule?.id ?? key.id;
  return session?.keyUserId === undefined ? id : `${id}/${user.id}`;
}
