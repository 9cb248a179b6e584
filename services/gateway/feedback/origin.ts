import { type AllowedOrigin, normalHostname, parseAllowedDomain } from '@worktrack/contracts/feedback/allowed-domains';

/** What an opaque origin is serialised as (RFC 6454 section 6.1): sandboxed frames, `file:` and `data:` pages. */
export const OPAQUE_ORIGIN = 'null';

const SERIALIZED_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\%]+$/i;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * The origin of a request: the `Origin` header, else the origin of `Referer`. It has one normal form (lower case, punycode, no default port, no trailing dot),
 * so that equal origins are equal strings.
 * @returns null without either header; OPAQUE_ORIGIN for an `Origin` that is opaque or malformed
 */
export function requestOrigin(headers: {
  readonly origin?: string | undefined;
  readonly referer?: string | undefined;
}): string | null {
  const { origin, referer } = headers;
  if (origin !== undefined) {
    // Only scheme, host and port: browsers never send more, and a URL parser would accept it.
    const url = SERIALIZED_ORIGIN.test(origin) ? URL.parse(origin) : null;
    return (url && normalOrigin(url)) ?? OPAQUE_ORIGIN;
  }
  const url = referer === undefined ? null : URL.parse(referer);
  return url && url.protocol in DEFAULT_PORTS ? (normalOrigin(url) ?? null) : null;
}

function normalOrigin(url: URL): string | undefined {
  const hostname = normalHostname(url.hostname);
  if (hostname === undefined) return undefined;
  return `${url.protocol}//${hostname}${url.port === '' ? '' : `:${url.port}`}`;
}

/**
 * @param origin as returned by requestOrigin
 * @param allowed as returned by parseAllowedDomains; an empty list means no restriction
 */
export function isOriginAllowed(origin: string | null, allowed: readonly AllowedOrigin[]): boolean {
  if (allowed.length === 0) return true;
  const url = origin === null ? null : URL.parse(origin);
  return url !== null && allowed.some((entry) => matches(url, entry));
}

function matches({ protocol, hostname, port }: URL, entry: AllowedOrigin): boolean {
  const defaultPort = DEFAULT_PORTS[protocol];
  if (defaultPort === undefined || (entry.protocol !== undefined && entry.protocol !== protocol)) return false;
  // Suffixes are compared at a dot: evilexample.com is not below example.com.
  if (entry.subdomains ? !hostname.endsWith(`.${entry.hostname}`) : hostname !== entry.hostname) return false;
  const actualPort = port === '' ? defaultPort : Number(port);
  return entry.port === 'any' || actualPort === (entry.port === 'default' ? defaultPort : entry.port);
}

/** An entry that cannot be parsed (the contract lets none through) allows nothing; it must not lift the restriction. */
export function parseAllowedDomains(entries: readonly string[]): readonly AllowedOrigin[] {
  return entries.map((entry) => parseAllowedDomain(entry) ?? NOTHING);
}

const NOTHING: AllowedOrigin = { protocol: undefined, hostname: '', subdomains: false, port: 'default' };
