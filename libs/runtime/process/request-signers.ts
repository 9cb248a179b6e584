import { hmacSigner, type RequestSigner } from '@worktrack/rpc/message/signature';
import { type KeyRing, keyRingSetting, subkeys } from './key-ring.ts';

/**
 * The keys with which requests to each service are signed. A gateway has all of these settings, a service only its own: it could speak for a caller to
 * no other.
 */
export const requestSecrets = {
  keys: { RPC_SECRETS_KEYS: keyRingSetting },
  workitems: { RPC_SECRETS_WORKITEMS: keyRingSetting },
  feedback: { RPC_SECRETS_FEEDBACK: keyRingSetting },
  events: { RPC_SECRETS_EVENTS: keyRingSetting },
} as const;

export type ServiceName = keyof typeof requestSecrets;

/** Requests to one service are not valid for another, even if both were given the same secret by mistake. */
export function requestSigner(service: ServiceName, ring: KeyRing): RequestSigner {
  return hmacSigner([...subkeys(ring, `worktrack requests to ${service}`).values()]);
}

/** @throws Error if the setting's text is not a key ring */
export function requestSignerOf(service: ServiceName, setting: string): RequestSigner {
  return requestSigner(service, keyRingSetting.parse(setting));
}

/**
 * The keys with which events are signed by everything that publishes them: what the log takes in, and what it sends to its listeners. Not the ring for
 * requests to the service that keeps the log, so that a publisher of events cannot call it on anybody's behalf.
 */
export const eventSecrets = { EVENT_SECRETS: keyRingSetting } as const;

export function eventSigner(ring: KeyRing): RequestSigner {
  return hmacSigner([...subkeys(ring, 'worktrack events').values()]);
}
