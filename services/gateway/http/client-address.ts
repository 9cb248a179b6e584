import { createHmac, type KeyObject } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

const NETWORK_GROUPS = 4;

/**
 * The network that counts as one client: an IPv4 address itself, or the /64 of an IPv6 address. One customer is assigned a /64 (RFC 6177), and can use any
 * number of addresses from it. An IPv4-mapped address (RFC 4291 section 2.5.5.2) is the IPv4 address.
 * @param address as given by the connection or the trusted proxy; an IPv6 zone (`%eth0`) or a port, which some proxies add, is ignored
 * @returns undefined if it is not an address
 */
export function clientNetwork(address: string): string | undefined {
  if (isIPv4(address)) return address;
  const bare = withoutZoneAndPort(address.trim());
  if (isIP(bare) === 0) return undefined;
  const parsed = ipaddr.process(bare);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const groups = parsed.parts.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}

function withoutZoneAndPort(address: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1];
  const withPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1];
  return (bracketed ?? withPort ?? address).replace(/%.*$/, '');
}

/**
 * Addresses are stored, in rate windows and with items, only in this form: without the secret it cannot be reversed by trying all
 * addresses, and yet abusers remain distinguishable.
 */
export function hashAddress(network: string, secret: KeyObject): string {
  return createHmac('sha256', secret).update(network).digest('base64url');
}

/** A request's client, for this process only. Anything but an address (only a trusted proxy can send that) counts as the proxy. */
export function clientNetworkOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return clientNetwork(ip ?? '') ?? clientNetwork(socket.remoteAddress ?? '') ?? 'unknown';
}

/** The same as it is counted and stored. */
export function clientOf(request: Pick<FastifyRequest, 'ip' | 'socket'>, secret: KeyObject): string {
  return hashAddress(clientNetworkOf(request), secret);
}

/** The same of an address alone, as the audit log has it. */
export function networkOf(address: string | null, secret: KeyObject): string {
  return hashAddress(clientNetwork(address ?? '') ?? 'unknown', secret);
}
