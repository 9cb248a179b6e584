import { hmacSigner, type RequestSigner } from '@worktrack/rpc/message/signature';
import { type KeyRing, keyRingSetting, subkeys } from './key-ring.ts';

/**
 * Under which requests to each service are signed. A gateway has all of these settings, a service its own: it could speak for a caller to
 * no other.
 */
export const requestSecrets = {
  keys: { RPC_SECRETS_KEYS: keyRingSetting },
  workitems: { RPC_SECRETS_WORKITEMS: keyRingSetting },
  feedback: { RPC_SECRETS_FEEDBACK: keyRingSetting },
  events: { RPC_SECRETS_EVENTS: keyRingSetting },
} as const;

type ServiceName = keyof typeof requestSecrets;

/** Requests to one service are none to another, even where both were given the same secret by mistake. */
export function requestSigner(service: ServiceName, ring: KeyRing): RequestSigner {
  return hmacSigner([...subkeys(ring, `worktrack requests to ${service}`).values()]);
}

/** @throws Error where the text of the setting is not a key ring */
export function requestSignerOf(service: ServiceName, setting: string): RequestSigner {
  return requestSigner(service, keyRingSetting.parse(setting));
}

/**
 * Under which events are signed, by all who publish them: what the log takes in, and what it tells those who listen. Another ring than that of
 * requests to the service that keeps the log, so that who publishes events cannot call it for anybody.
 */
export const eventSecrets = { EVENT_SECRETS: keyRingSetting } as const;

export function eventSigner(ring: KeyRing): RequestSigner {
  return hmacSigner([...subkeys(ring, 'worktrack events').values()]);
}
