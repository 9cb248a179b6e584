import { randomUUID } from 'node:crypto';
import type { ErrorDetail } from '@worktrack/contracts/errors';
import type { Operation, Output, RawInput } from '@worktrack/contracts/operation';
import { Failure, inFlags, NO_ROUTE, notAsWorktrack, refusalWords, whyOf } from '../failure.ts';
import { fieldNames } from '../flags.ts';
import { repeated } from './repeated.ts';
import { asked, chooseService, type Service, UNKNOWN_KEY } from './service.ts';

const TIMEOUT_MS = 30_000;
const UPLOAD_TIMEOUT_MS = 120_000;
/** Of a claim that waits: up to 55 s, and 10 more if a part of the service fails meanwhile. */
const WAITING_TIMEOUT_MS = 90_000;
/** A redirected POST would become a GET, without the key if it leads to another origin. Only `http:` for `https:` is likely, and has to be changed. */
const redirect = 'manual';

export interface CallOptions {
  /** Makes the call safe to repeat. Without one, each call has its own, which its own repetitions keep. */
  readonly idempotencyKey?: string;
  /** What the command calls fields that it takes otherwise than by an option, for the words of a refusal. */
  readonly placed?: Readonly<Record<string, string>>;
  /** For what no option gives: puts what a refusal says of it in the words of where it came from. */
  readonly inItsWords?: (text: string) => string;
}

export interface Api {
  readonly baseUrl: string;
  /** The project that commands are about by default. */
  readonly projectId: string | undefined;
  /** @throws Failure with the server's own words */
  call<Op extends Operation>(operation: Op, input: RawInput<Op>, options?: CallOptions): Promise<Output<Op>>;
  /** The raw response, whatever it is, and for as long as it takes. @throws what `fetch` throws */
  open(path: string, options: { readonly accept: string; readonly signal: AbortSignal }): Promise<Response>;
  /** The content of a response that is no JSON. @throws Failure with the server's own words */
  download(operation: Operation, input: Record<string, unknown>): Promise<AsyncIterable<Uint8Array>>;
  /** @param place the fields that are in the path */
  upload(operation: Operation, place: Record<string, unknown>, form: FormData, options?: CallOptions): Promise<unknown>;
}

export function api(environment: NodeJS.ProcessEnv = process.env): Api {
  const service = chooseService(environment);
  const { baseUrl, projectId, projectSource } = service;
  const send = async (
    operation: Operation,
    input: Record<string, unknown>,
    { idempotencyKey = randomUUID(), placed: otherwise = {}, inItsWords = (text) => text }: CallOptions = {},
    form?: FormData,
  ) => {
    const { method, url, body } = requestOf(baseUrl, operation, input);
    const inPath = [...(operation.rest ?? '').matchAll(/:(\w+)/g)].map(([, field]) => field as string);
    const isItem = (field: string) =>
      field === 'workItemId' || (field === 'id' && operation.name.startsWith('workItems.'));
    const placed = Object.fromEntries(inPath.map((field) => [field, isItem(field) ? '<item>' : '<id>']));
    const isOfDefaultProject = projectId !== undefined && [input.projectId, input.id].includes(projectId);
    return sent(service, url, {
      inOwnWords: (text) => inFlags(inItsWords(text), fieldNames(operation), { ...placed, ...otherwise }),
      ...(isOfDefaultProject && { configured: { value: projectId, source: projectSource } }),
      method,
      headers: {
        ...(method === 'GET' ? {} : { 'idempotency-key': idempotencyKey }),
        ...(form || body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(form ? { body: form } : body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs: form ? UPLOAD_TIMEOUT_MS : input.waitSeconds ? WAITING_TIMEOUT_MS : TIMEOUT_MS,
    });
  };
  return {
    baseUrl,
    projectId,
    call: (operation, input, options) =>
      send(operation, input as Record<string, unknown>, options) as Promise<Output<typeof operation>>,
    open: async (path, { accept, signal }) => {
      const response = await asked(service, (authorization) =>
        fetch(baseUrl + path, { headers: { authorization, accept }, signal, redirect }),
      );
      if (response instanceof Response) return response;
      throw response;
    },
    download: async (operation, input) => {
      const { url } = requestOf(baseUrl, operation, input);
      const response = await repeated(() =>
        asked(service, (authorization) => fetch(url, { headers: { authorization }, redirect })),
      );
      if (response instanceof Response && response.ok && response.body) return whole(baseUrl, response.body);
      const inOwnWords = (text: string) => inFlags(text, fieldNames(operation), {});
      return (await outcomeOf(baseUrl, response, { inOwnWords })) as never;
    },
    upload: (operation, place, form, options) => send(operation, place, options, form),
  };
}

/** What is read from a service, which may end before its end. */
async function* whole(baseUrl: string, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    throw new Failure('unreachable', `${baseUrl} broke off (${whyOf(error)}): what came is not all.`);
  }
}

/** What is repeated keeps its idempotency key, so it takes effect once. */
async function sent(
  service: Service,
  url: URL,
  {
    timeoutMs,
    inOwnWords,
    configured,
    headers,
    ...init
  }: RequestInit & Told & { readonly timeoutMs: number; readonly headers: Readonly<Record<string, string>> },
): Promise<unknown> {
  const answer = await repeated(() =>
    asked(service, (authorization) =>
      fetch(url, {
        ...init,
        headers: { ...headers, authorization },
        redirect,
        signal: AbortSignal.timeout(timeoutMs),
      }),
    ),
  );
  return outcomeOf(service.baseUrl, answer, { inOwnWords, configured });
}

/** Fills the path's placeholders; the rest of the input goes into the query of a GET or a DELETE, and into the body of anything else. */
export function requestOf(
  baseUrl: string,
  operation: Operation,
  input: Record<string, unknown>,
): { readonly method: string; readonly url: URL; readonly body: Record<string, unknown> | undefined } {
  if (!operation.rest) throw new Error(`${operation.name} has no REST route.`);
  const [method, template] = operation.rest.split(' ') as [string, string];
  const left = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = template.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = String(left[name]);
    delete left[name];
    return encodeURIComponent(value);
  });
  const url = new URL(baseUrl + path);
  if (method === 'GET' || method === 'DELETE') {
    for (const [name, value] of Object.entries(left)) url.searchParams.set(name, String(value));
    return { method, url, body: undefined };
  }
  return { method, url, body: left };
}

/** How a refusal is told. */
interface Told {
  readonly inOwnWords: (text: string) => string;
  /** What the configuration said, in place of an option: if the service refuses that, nobody can change it in the command. */
  readonly configured?: { readonly value: string; readonly source: string } | undefined;
}

/** What is not in the organization, or has no form of an id. */
const NOT_THERE: ReadonlySet<number> = new Set([400, 404]);

function isAbout(
  projectId: string,
  { message, details = [] }: Pick<NonNullable<Envelope['error']>, 'message' | 'details'>,
): boolean {
  return message.includes(projectId) || details.some(({ path }) => path === 'projectId' || path === 'id');
}

interface Envelope {
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly reason?: string;
    readonly details?: readonly ErrorDetail[];
    readonly requestId: string;
  };
}

/** The data of a response. @throws Failure with the words of a refusal, or with our own if there was no answer */
export async function outcomeOf(
  baseUrl: string,
  response: unknown,
  { inOwnWords = (text: string) => text, configured }: Partial<Told> = {},
): Promise<unknown> {
  if (!(response instanceof Response)) {
    throw new Failure(
      'unreachable',
      `Nothing answers at ${baseUrl} (${whyOf(response)}). Start the stack with \`npm start\`, or set WORKTRACK_URL.`,
    );
  }
  const envelope = (await response.json().catch(() => undefined)) as Envelope | undefined;
  if (typeof envelope?.success !== 'boolean' || envelope.error?.reason === NO_ROUTE) {
    // What a proxy says while the service behind it restarts.
    throw new Failure(response.status >= 500 ? 'unreachable' : 'usage', notAsWorktrack(baseUrl, response.status));
  }
  if (envelope.success) return envelope.data;
  const { code, message, details, requestId } = envelope.error as NonNullable<Envelope['error']>;
  if (configured && NOT_THERE.has(response.status) && isAbout(configured.value, { message, details })) {
    throw new Failure(
      'usage',
      `${configured.source} is ${configured.value}: ${inOwnWords(refusalWords(message, details))} (${code}, request ${requestId})`,
    );
  }
  throw new Failure(
    response.status >= 500 ? 'unreachable' : response.status === UNKNOWN_KEY ? 'usage' : 'refused',
    `${inOwnWords(refusalWords(message, details))} (${code}, request ${requestId})`,
  );
}
