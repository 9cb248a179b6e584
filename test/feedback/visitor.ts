import { randomInt, randomUUID } from 'node:crypto';
import type { Bootstrap, Ingested } from '@worktrack/contracts/feedback/public-api';
import type { Source } from '@worktrack/contracts/feedback/records';
import type { Answer, TestOrganization } from '../support/organization.ts';

/** Somebody on the internet, as the gateway sees them behind a proxy that it trusts. */
export interface Visitor {
  readonly address: string;
  bootstrap(source: Pick<Source, 'publicKey'>, headers?: Record<string, string>): Promise<Answer<Bootstrap>>;
  /** A token of the source for a caller without an origin, or with the one in `headers`. */
  token(source: Pick<Source, 'publicKey'>, headers?: Record<string, string>): Promise<string>;
  ingest(body: unknown, headers?: Record<string, string>): Promise<Answer<Ingested>>;
  /** Bootstrap and ingest. */
  submit(
    source: Pick<Source, 'publicKey'>,
    body?: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<Answer<Ingested>>;
  fetch(path: string, init?: RequestInit): Promise<Answer<never>>;
}

/** @param address default: one that no other visitor of the run has */
export function visitor(baseUrl: string, address = newAddress()): Visitor {
  const call = async (path: string, init: RequestInit = {}): Promise<Answer<never>> => {
    const headers = { 'x-forwarded-for': address, ...(init.headers as Record<string, string>) };
    const response = await fetch(`${baseUrl}${path}`, { ...init, headers });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      ...(text === '' ? {} : JSON.parse(text)),
    } as Answer<never>;
  };
  const bootstrap: Visitor['bootstrap'] = ({ publicKey }, headers) =>
    call(`/feedback/widget/bootstrap?publicKey=${encodeURIComponent(publicKey)}`, { headers });
  const token: Visitor['token'] = async (source, headers) => {
    const answer = await bootstrap(source, headers);
    if (!answer.success) throw new Error(answer.error.message);
    return answer.data.token;
  };
  const ingest: Visitor['ingest'] = (body, headers) =>
    call('/feedback/ingest', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return {
    address,
    bootstrap,
    token,
    ingest,
    submit: async (source, body, headers) =>
      ingest(
        { publicKey: source.publicKey, token: await token(source, headers), message: `Hello ${randomUUID()}`, ...body },
        headers,
      ),
    fetch: call,
  };
}

/** In the range reserved for benchmarks (RFC 2544), or any IPv6 one for documentation (RFC 3849). */
function newAddress(): string {
  return `198.${randomInt(18, 20)}.${randomInt(256)}.${randomInt(256)}`;
}

export async function newSource(
  organization: TestOrganization,
  settings: Partial<Omit<Source, 'rateLimit'>> & { rateLimit?: Source['rateLimit'] } = {},
): Promise<Source> {
  const answer = await organization.call<Source>('POST', '/api/feedback/sources', {
    name: 'Site',
    requireCaptcha: false,
    ...settings,
  });
  if (!answer.success) throw new Error(answer.error.message);
  return answer.data;
}
