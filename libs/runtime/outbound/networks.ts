import { BlockList, isIP, isIPv4 } from 'node:net';
import { z } from 'zod';

/** What is not a host on the public internet: IANA's registry of special-purpose IPv4 addresses (RFC 6890), multicast (RFC 5771), future use. */
const SPECIAL_IPV4 = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);
/** For IPv6, only addresses assigned as global unicast (RFC 4291), without those that the registry of special-purpose addresses excludes. */
const GLOBAL_IPV6 = blockList(['2000::/3']);
const SPECIAL_IPV6 = blockList(['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']);

/** `named`: the operator allows it. `public`: any host on the internet. `refused`: neither. */
export type Verdict = 'named' | 'public' | 'refused';

/** Networks that an operator allows requests to be sent into. */
export class AllowedNetworks {
  readonly #named: BlockList;
  readonly isEmpty: boolean;

  /** @param networks CIDR ranges, or single addresses */
  constructor(networks: readonly string[]) {
    this.#named = blockList(networks);
    this.isEmpty = networks.length === 0;
  }

  /** @param address IPv4 or IPv6, in any spelling that node:net knows */
  verdict(address: string): Verdict {
    const [plain = ''] = address.split('%', 1);
    const version = isIP(plain);
    if (version === 0) return 'refused';
    if (this.#named.check(plain, version === 4 ? 'ipv4' : 'ipv6')) return 'named';
    if (version === 4) return SPECIAL_IPV4.check(plain) ? 'refused' : 'public';
    const { inside, isOnlyInside } = ipv4Inside(groupsOf(plain));
    const verdicts = inside.map((each) => this.verdict(each));
    if (verdicts.includes('refused')) return 'refused';
    if (isOnlyInside) return verdicts.every((each) => each === 'named') ? 'named' : 'public';
    return GLOBAL_IPV6.check(plain, 'ipv6') && !SPECIAL_IPV6.check(plain, 'ipv6') ? 'public' : 'refused';
  }
}

interface Inside {
  /** The IPv4 addresses embedded in an IPv6 address. What is sent to it may end up at them. */
  readonly inside: readonly string[];
  /** It is just another way to write them, not a host of its own. */
  readonly isOnlyInside: boolean;
}

function ipv4Inside(groups: readonly number[]): Inside {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const beginsWith = (...begin: readonly number[]) => begin.every((group, index) => groups[index] === group);
  const last = [ipv4(g, h)];
  // IPv4-mapped (RFC 4291, 2.5.5.2), IPv4-translated (RFC 2765), and IPv4-compatible, which includes :: and ::1 (RFC 4291, 2.5.5.1).
  if (beginsWith(0, 0, 0, 0, 0, 0xffff)) return { inside: last, isOnlyInside: true };
  if (beginsWith(0, 0, 0, 0, 0xffff, 0)) return { inside: last, isOnlyInside: true };
  if (beginsWith(0, 0, 0, 0, 0, 0)) return { inside: last, isOnlyInside: false };
  // NAT64 (RFC 6052). Its local prefix 64:ff9b:1::/48 (RFC 8215) is not global unicast, and is therefore refused.
  if (beginsWith(0x64, 0xff9b, 0, 0, 0, 0)) return { inside: last, isOnlyInside: true };
  // 6to4 (RFC 3056).
  if (a === 0x2002) return { inside: [ipv4(b, c)], isOnlyInside: true };
  // Teredo (RFC 4380): the server, and the client with every bit inverted.
  if (beginsWith(0x2001, 0)) return { inside: [ipv4(c, d), ipv4(~g & 0xffff, ~h & 0xffff)], isOnlyInside: true };
  // ISATAP (RFC 5214): an interface identifier under any prefix.
  if ((e & ~0x0200) === 0 && f === 0x5efe) return { inside: last, isOnlyInside: false };
  return { inside: [], isOnlyInside: false };
}

function ipv4(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const before = parsed(head);
  const after = tail === undefined ? [] : parsed(tail);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

function parsed(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!isIPv4(group)) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const version = isIP(address);
    const bits = version === 4 ? 32 : 128;
    list.addSubnet(address, prefix === undefined ? bits : Number(prefix), version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

const CIDR = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** A setting that names networks, separated by commas. */
export const networksSetting = z
  .string()
  .default('')
  .transform((value, context): readonly string[] => {
    const networks = value
      .split(',')
      .map((network) => network.trim())
      .filter((network) => network !== '');
    const wrong = networks.find((network) => !CIDR.safeParse(network).success);
    if (wrong === undefined) return networks;
    context.addIssue(`must be addresses or CIDR ranges such as 10.1.0.0/16, separated by commas; ${wrong} is not one`);
    return z.NEVER;
  });
