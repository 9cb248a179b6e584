import type { Destinations } from '@worktrack/runtime/outbound/destination';
import { fetchJson } from '@worktrack/runtime/outbound/fetch-json';
import { publicJwk } from '../trust-rules/public-jwk.ts';
import type { PublicJwk } from '../trust-rules/trust-rules.model.ts';

/** For both documents together. */
export const FETCH_MS = 5_000;
const MAX_BYTES = 256 * 1_024;
/** Each is compared with the key id of every JWT, and all of them are sent to the gateways in a flood. */
export const MAX_KEYS = 100;

export interface FetchedKeys {
  readonly keys: readonly PublicJwk[];
  /** So many more could be used, beyond MAX_KEYS. */
  readonly leftOut: number;
}

/**
 * The keys of an issuer, by OpenID Connect Discovery 1.0 (4). The document must name exactly the issuer that was asked for it (4.3). Otherwise a document
 * at one issuer's address could speak for another issuer.
 */
export async function fetchKeys(issuer: string, destinations: Destinations): Promise<FetchedKeys> {
  const limits = { destinations, maxBytes: MAX_BYTES, signal: AbortSignal.timeout(FETCH_MS) };
  const base = issuer.replace(/\/$/, '');
  const { value: found } = await fetchJson(`${base}/.well-known/openid-configuration`, limits);
  const { issuer: named, jwks_uri: address } = (found ?? {}) as {
    readonly issuer?: unknown;
    readonly jwks_uri?: unknown;
  };
  if (named !== issuer) throw new Error('The discovery document names another issuer.');
  if (typeof address !== 'string') throw new Error('The discovery document has no jwks_uri.');
  const { keys } = ((await fetchJson(address, limits)).value ?? {}) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('The key set has no keys.');
  const usable = keys.flatMap((each) => {
    const read = publicJwk((each ?? {}) as Readonly<Record<string, unknown>>);
    // Keys of other kinds, too weak, or that no JWT can name, are for others.
    return 'jwk' in read && read.jwk.kid ? [read.jwk] : [];
  });
  return { keys: usable.slice(0, MAX_KEYS), leftOut: Math.max(0, usable.length - MAX_KEYS) };
}
