import type { Identity } from '@worktrack/contracts/keys/identity';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FairShare, type FairShareLimits, type Place } from './fair-share.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Among the calls under way of its organization; of a call with an API key, from when its body is there to when its answer is. */
    place: Place | undefined;
  }
  interface FastifyInstance {
    /** Waits until the call of a request has its place. Nothing is waited for without an API key, nor for one that has it. */
    takePlace(request: FastifyRequest, bodyBytes: number): Promise<void>;
  }
}

/**
 * Each call with an API key takes its place among those of its organization before its body is parsed, and gives it back with its answer. Not when
 * its connection ends: what it has begun goes on without it. A body that is still to come holds no place, nor do streams of bytes, which go at
 * the pace of their reader.
 */
export function shareCallsFairly(app: FastifyInstance, limits: FairShareLimits): void {
  const share = new FairShare(limits);
  app.decorateRequest('place', undefined);
  app.decorate('takePlace', async (request: FastifyRequest, bodyBytes: number) => {
    const { identity, raw, routeOptions } = request;
    if (identity === null || request.place || routeOptions.config.streamsBody) return;
    const { socket } = raw;
    request.place = await share.enter(identity.organization.id, keyOf(identity), bodyBytes, (abandon) => {
      socket.once('close', abandon);
      return () => socket.off('close', abandon);
    });
  });
  // For what has no body.
  app.addHook('preHandler', (request) => app.takePlace(request, 0));
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.place?.leave();
    done(null, payload);
  });
}

/** A session has its part of the share of the key that it stems from: else a key would have one more with each. */
function keyOf({ key, session }: Identity): string {
  return session?.keyId ?? key.id;
}
