import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallToolResult,
  type Implementation,
  ProtocolError,
  ProtocolErrorCode,
  type Tool,
} from '@modelcontextprotocol/server';
import { IDEMPOTENCY_KEY_META } from '@worktrack/contracts/tool-call-meta';
import { NO_ROUTE, notAsWorktrack, whyOf } from '../failure.ts';
import { MAY_SUCCEED_LATER } from '../service/repeated.ts';
import { asked, type Service } from '../service/service.ts';

/** Longer than the longest operation, writing a prompt. */
const ATTEMPT_TIMEOUT_MS = 180_000;
/** A service restart takes some 15 s; clients abandon a call after 60 s by default. */
const RETRY_FOR_MS = 45_000;
/** A client waits for them before it can do anything, but can do without. */
const INSTRUCTIONS_TIMEOUT_MS = 2_000;
const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 2_000;
/** The era in which a request needs no prior negotiation. The service speaks both. */
const PROTOCOL_VERSION = '2025-11-25';

/** A refusal worded for the user of the bridge, who can do something about it. */
export class ServiceRefused extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
/** It is unknown whether the call took effect. */
export class ServiceAway extends Error {}

interface ToolCall {
  readonly name: string;
  readonly arguments?: Record<string, unknown> | undefined;
  readonly _meta?: Record<string, unknown> | undefined;
}

type RpcAnswer =
  | { readonly result: unknown }
  | {
      readonly error: {
        readonly code: number;
        readonly message: string;
        /** With one of our codes if the key was refused, before the protocol began. */
        readonly data?: { readonly code?: unknown };
      };
    };

/**
 * The service's tools, over its HTTP endpoint. Calls that find the service unavailable or restarting are repeated with the same idempotency key:
 * a step is neither lost nor done twice.
 */
export class RemoteTools {
  readonly #service: Service;
  readonly #endpoint: URL;
  #lastId = 0;

  constructor(service: Service) {
    this.#service = service;
    this.#endpoint = new URL(`${service.baseUrl}/mcp`);
    if (service.projectId) this.#endpoint.searchParams.set('projectId', service.projectId);
  }

  /** What the service tells a model about itself, or nothing if it is unavailable. */
  async instructions(client: Implementation, signal: AbortSignal): Promise<string | undefined> {
    const params = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo: client };
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(INSTRUCTIONS_TIMEOUT_MS)]);
    try {
      return ((await this.#request('initialize', params, inTime)) as { instructions?: string }).instructions;
    } catch {
      return undefined;
    }
  }

  async list(signal: AbortSignal): Promise<Tool[]> {
    const { tools } = (await this.#repeated(() => this.#request('tools/list', {}, signal), signal)) as {
      tools: Tool[];
    };
    return tools;
  }

  async call(call: ToolCall, signal: AbortSignal): Promise<CallToolResult> {
    return await this.write(call._meta, signal, async (key) => {
      const params = { ...call, _meta: { ...call._meta, [IDEMPOTENCY_KEY_META]: key } };
      const result = (await this.#request('tools/call', params, signal)) as CallToolResult;
      const away = awayBehind(result);
      if (away) throw new ServiceAway(away);
      return result;
    });
  }

  /** @param attempt gets the same idempotency key each time: the client's, or one of our own */
  async write<T>(
    meta: Record<string, unknown> | undefined,
    signal: AbortSignal,
    attempt: (idempotencyKey: string) => Promise<T>,
  ): Promise<T> {
    const given = meta?.[IDEMPOTENCY_KEY_META];
    const key = typeof given === 'string' ? given : randomUUID();
    return await this.#repeated(() => attempt(key), signal);
  }

  /** Repeats calls that found the service unavailable, for as long as a client waits. */
  async #repeated<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const giveUpAtMs = performance.now() + RETRY_FOR_MS;
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof ServiceAway) || performance.now() + delayMs > giveUpAtMs) throw error;
        await delay(delayMs, undefined, { signal });
      }
    }
  }

  async #request(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    const { baseUrl } = this.#service;
    const sent = await asked(this.#service, (authorization) =>
      fetch(this.#endpoint, {
        method: 'POST',
        headers: {
          authorization,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': PROTOCOL_VERSION,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: ++this.#lastId, method, params }),
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]),
      }),
    );
    let response: Response;
    let text: string;
    try {
      if (!(sent instanceof Response)) throw sent;
      response = sent;
      text = await response.text();
    } catch (error) {
      signal.throwIfAborted();
      const words = `${baseUrl} does not answer (${whyOf(error)}). Is it running? WORKTRACK_URL says where it is.`;
      throw new ServiceAway(words);
    }
    const answer = parsed(text);
    if (answer && 'jsonrpc' in answer) {
      const message = answer as unknown as RpcAnswer;
      if ('result' in message) return message.result;
      const { code, message: said, data } = message.error;
      if (typeof data?.code === 'string') throw this.#refusal(response.status, { code: data.code, message: said });
      throw new ProtocolError(code, said, data);
    }
    throw this.#refusal(response.status, (answer as Envelope | undefined)?.error);
  }

  #refusal(status: number, error: Envelope['error']): Error {
    const { baseUrl, keySource, projectId } = this.#service;
    const { code, message: said, reason } = error ?? {};
    if (!code || !said || reason === NO_ROUTE) {
      const words = notAsWorktrack(baseUrl, status);
      // What a proxy returns while the service behind it restarts.
      return MAY_SUCCEED_LATER.has(status) ? new ServiceAway(words) : new ServiceRefused('UNAVAILABLE', words);
    }
    if (status === 503 || status === 504) return new ServiceAway(said);
    if (status === 401) return new ServiceRefused(code, `${baseUrl} refuses the API key from ${keySource}. ${said}`);
    if (projectId && (status === 400 || status === 404)) {
      return new ServiceRefused(code, `WORKTRACK_PROJECT_ID is ${projectId}: ${said}`);
    }
    return new ServiceRefused(code, said);
  }
}

interface Envelope {
  readonly error?: { readonly code?: string; readonly message?: string; readonly reason?: string };
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What the gateway says about an unresponsive service behind it. @returns its message */
function awayBehind(result: CallToolResult): string | undefined {
  if (!result.isError) return undefined;
  const [content] = result.content;
  const failure = content?.type === 'text' ? (parsed(content.text) as Envelope | undefined) : undefined;
  const { code, message } = failure?.error ?? {};
  return code === 'UNAVAILABLE' || code === 'DEADLINE_EXCEEDED' ? message : undefined;
}

/** As a protocol error, for requests before any tool is called. */
export function asProtocolError(error: unknown): unknown {
  if (error instanceof ServiceRefused || error instanceof ServiceAway) {
    return new ProtocolError(ProtocolErrorCode.InternalError, error.message);
  }
  return error;
}
