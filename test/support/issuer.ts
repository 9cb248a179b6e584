import { generateKeyPairSync, type KeyObject, type KeyPairKeyObjectResult, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { uuidv7 } from '@worktrack/runtime/process/uuid';

type Json = Readonly<Record<string, unknown>>;

export const ISSUER_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
export type IssuerAlgorithm = (typeof ISSUER_ALGORITHMS)[number];

export interface IssuerKey {
  readonly kid: string;
  readonly alg: IssuerAlgorithm;
  readonly privateKey: KeyObject;
  readonly jwk: Json;
}

export function newIssuerKey(alg: IssuerAlgorithm, kid: string = uuidv7(), pair = newPair(alg)): IssuerKey {
  const { privateKey, publicKey } = pair;
  return { kid, alg, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' } };
}

function newPair(alg: IssuerAlgorithm): KeyPairKeyObjectResult {
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: 2_048 });
}

let pairs: ReadonlyMap<IssuerAlgorithm, KeyPairKeyObjectResult> | undefined;

/** Under ids of their own; all issuers of a process share the pairs, since RSA takes seconds of CPU to make them for each. */
function ownKeys(): IssuerKey[] {
  pairs ??= new Map(ISSUER_ALGORITHMS.map((alg) => [alg, newPair(alg)]));
  return [...pairs].map(([alg, pair]) => newIssuerKey(alg, uuidv7(), pair));
}

const part = (value: string | Json) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A JWT of these very texts or objects. */
export function signJwt(header: string | Json, payload: string | Json, { alg, privateKey }: IssuerKey): string {
  const signed = `${part(header)}.${part(payload)}`;
  return `${signed}.${signatureOf(signed, alg, privateKey).toString('base64url')}`;
}

export function signatureOf(text: string, alg: IssuerAlgorithm, key: KeyObject): Buffer {
  const bytes = Buffer.from(text);
  switch (alg) {
    case 'EdDSA':
      return sign(null, bytes, key);
    case 'ES256':
      return sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' });
    case 'PS256':
      return sign('sha256', bytes, { key, padding: 6, saltLength: 32 });
    case 'RS256':
      return sign('sha256', bytes, key);
  }
}

/** What a server of the tests answers: a document, or another status. */
type Answer =
  | { readonly body: unknown }
  | { readonly text: string }
  | { readonly status: number; readonly location?: string };

/** An OpenID Connect issuer on this machine, over plain http. */
export class TestIssuer {
  readonly #server: Server;
  /** How often its keys were asked for. */
  fetches = 0;
  keys = ownKeys();
  /** Instead of its discovery document, or its key set. */
  discovery: Answer | undefined;
  keySet: Answer | undefined;
  /** It answers once this is resolved. */
  held: Promise<void> | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<TestIssuer> {
    const server = createServer();
    const issuer = new TestIssuer(server);
    server.on('request', async (request, response) => {
      const isDiscovery = request.url === '/.well-known/openid-configuration';
      if (!isDiscovery) issuer.fetches++;
      await issuer.held;
      const answer: Answer = isDiscovery
        ? (issuer.discovery ?? { body: { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` } })
        : (issuer.keySet ?? { body: { keys: issuer.keys.map(({ jwk }) => jwk) } });
      if ('body' in answer) response.end(JSON.stringify(answer.body));
      else if ('text' in answer) response.end(answer.text);
      else response.writeHead(answer.status, answer.location ? { location: answer.location } : {}).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  key(alg: IssuerAlgorithm): IssuerKey {
    const found = this.keys.find((each) => each.alg === alg);
    if (!found) throw new Error(`The issuer has no key for ${alg}.`);
    return found;
  }

  /** A JWT that is fresh and of its own; a claim that is undefined is left out. */
  jwt(
    claims: Json,
    { key = this.key('RS256'), header = {} }: { readonly key?: IssuerKey; readonly header?: Json } = {},
  ): string {
    const iat = Math.floor(Date.now() / 1_000);
    const payload = { iss: this.url, iat, exp: iat + 600, jti: uuidv7(), ...claims };
    return signJwt({ alg: key.alg, kid: key.kid, typ: 'JWT', ...header }, payload, key);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
