import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { AllowedNetworks, Verdict } from './networks.ts';

/** Per query to one server; a silent server is asked twice. Well below the time an endpoint has to answer. */
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

const LOOPBACK = ['127.0.0.1', '::1'];

/** The request would go where none may. */
export class DestinationRefused extends Error {}

/**
 * Decides where requests may go. Names are resolved here, for each connection, and the connection goes to exactly the address resolved, so that a
 * name that resolves differently the second time gains nothing (DNS rebinding).
 */
export class Destinations {
  readonly #networks: AllowedNetworks;
  readonly #setting: string;
  /**
   * Not `dns.lookup`: that occupies one of libuv's four threads for as long as the name server is silent, and a few endpoints with such names would
   * hold up all others. The consequence is that /etc/hosts is not read.
   */
  readonly #resolver: Resolver;

  /**
   * @param networks where requests may go besides the public internet
   * @param setting the one that names them, for messages
   * @param dnsServers instead of the system's
   */
  constructor(networks: AllowedNetworks, setting: string, dnsServers?: readonly string[]) {
    this.#networks = networks;
    this.#setting = setting;
    this.#resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
    if (dnsServers) this.#resolver.setServers(dnsServers);
  }

  /** @returns what is wrong with a URL before anything is resolved, phrased to follow the field's name */
  problemOf(text: string): string | undefined {
    const url = new URL(text);
    const { protocol, username, password, hash, hostname } = url;
    if (protocol !== 'https:' && protocol !== 'http:') return 'must be an https URL';
    if (username !== '' || password !== '') return 'must not contain a user or a password';
    if (hash !== '') return 'must not have a fragment: it is never sent';
    const isPlain = protocol === 'http:';
    const addresses = literalsOf(hostname);
    if (isPlain && (addresses ? !this.#some(addresses, isPlain) : this.#networks.isEmpty)) {
      return `must be an https URL; plain http is allowed only into the networks in ${this.#setting}`;
    }
    if (addresses && !this.#some(addresses, isPlain)) {
      return `leads to an address that is not public, in a network that is not in ${this.#setting}`;
    }
    return undefined;
  }

  /** For node:http and node:https, which call it for every connection to a host name. @param isPlain without TLS */
  lookup(isPlain: boolean): LookupFunction {
    return (hostname, { all, family }, callback) => {
      this.#resolve(hostname, isPlain).then(
        (addresses) => {
          const found = addresses.map((address) => ({ address, family: isIP(address) }));
          const wanted = family === 4 || family === 6 ? found.filter((each) => each.family === family) : found;
          const [first] = wanted;
          if (!first) callback(new DestinationRefused(`${hostname} has no address of that family`), '', 4);
          else if (all) callback(null, wanted);
          else callback(null, first.address, first.family);
        },
        (error: Error) => callback(error, '', 4),
      );
    };
  }

  /** The name's addresses that requests may go to. @throws DestinationRefused if there are none */
  async #resolve(hostname: string, isPlain: boolean): Promise<string[]> {
    const found = literalsOf(hostname) ?? (await this.#addressesOf(hostname));
    const usable = found.filter((address) => mayGo(this.#networks.verdict(address), isPlain));
    if (usable.length > 0) return usable;
    // The address itself is not disclosed: that would let anybody read out an internal name server.
    throw new DestinationRefused(
      isPlain
        ? `${hostname} is in no network of ${this.#setting}, and plain http is allowed nowhere else`
        : `${hostname} has no public address, nor one in a network of ${this.#setting}`,
    );
  }

  async #addressesOf(hostname: string): Promise<string[]> {
    const answers = await Promise.allSettled([this.#resolver.resolve4(hostname), this.#resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    throw new DestinationRefused(`${hostname} was not found in DNS`);
  }

  #some(addresses: readonly string[], isPlain: boolean): boolean {
    return addresses.some((address) => mayGo(this.#networks.verdict(address), isPlain));
  }
}

function mayGo(verdict: Verdict, isPlain: boolean): boolean {
  return verdict === 'named' || (verdict === 'public' && !isPlain);
}

/** The address of a host that needs no resolution. The URL parser has normalized odd spellings (0x7f.1, 2130706433). */
function literalsOf(hostname: string): readonly string[] | undefined {
  const plain = hostname.replace(/^\[|\]$/g, '');
  if (isIP(plain) !== 0) return [plain];
  // RFC 6761, 6.3: such names are the machine itself, whatever a name server says.
  return /(^|\.)localhost\.?$/i.test(plain) ? LOOPBACK : undefined;
}
