import { z } from 'zod';

/** One entry of a source's `allowedDomains`, parsed. */
export interface AllowedOrigin {
  /** Undefined: http and https. */
  readonly protocol: 'http:' | 'https:' | undefined;
  /** As the URL standard writes hosts: lower case, punycode, IPv6 in brackets; without a trailing dot. */
  readonly hostname: string;
  /** Subdomains of `hostname` at any depth, but not `hostname` itself. */
  readonly subdomains: boolean;
  /** `default`: 80 for http, 443 for https. `any`: for names of this machine, where development servers use any port. */
  readonly port: number | 'default' | 'any';
}

const MAX_ENTRY_LENGTH = 300;
const ENTRY = /^(?:(https?):\/\/)?(\*\.)?([^\s/?#@\\:[\]*%]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?\/?$/i;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/** @returns undefined for anything but a host, origin or `*.` pattern */
export function parseAllowedDomain(entry: string): AllowedOrigin | undefined {
  const parts = ENTRY.exec(entry);
  if (!parts || entry.length > MAX_ENTRY_LENGTH) return undefined;
  const [, scheme, wildcard, host, digits] = parts;
  const hostname = normalHostname(URL.parse(`http://${host}/`)?.hostname ?? '');
  if (!hostname) return undefined;
  const isAddress = IPV4.test(hostname) || hostname.startsWith('[');
  if (wildcard && isAddress) return undefined;
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  return {
    protocol: scheme === undefined ? undefined : (`${scheme.toLowerCase()}:` as 'http:' | 'https:'),
    hostname,
    subdomains: wildcard !== undefined,
    port: port ?? (isLoopback(hostname) ? 'any' : 'default'),
  };
}

/** A trailing dot (the DNS root) does not matter; a name with an empty label is invalid. */
export function normalHostname(hostname: string): string | undefined {
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return name === '' || name.startsWith('.') || name.endsWith('.') || name.includes('..') ? undefined : name;
}

/** RFC 6761 section 6.3 assigns `localhost` and all names below it to the loopback interface. */
function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]') return true;
  return IPV4.test(hostname) && hostname.startsWith('127.');
}

export const AllowedDomain = z
  .string()
  .trim()
  .refine(
    (value) => parseAllowedDomain(value) !== undefined,
    'must be a host or an origin, such as example.com, https://example.com:8443, *.example.com or localhost:3000',
  );
