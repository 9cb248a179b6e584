import {
  type AuthInfo,
  classifyInboundRequest,
  createMcpHandler,
  isInitializeRequest,
  METHOD_NOT_FOUND,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Log } from '@worktrack/rpc/types';
import type { FastifyRequest } from 'fastify';
import type { CallOrigin } from '../perform.ts';
import { withArguments } from './arguments.ts';

const OK = 200;
const ACCEPTED = 202;
const BAD_REQUEST = 400;

/** Of a batch. Only one with both is a request, and is answered. */
interface Message {
  readonly id?: string | number;
  readonly method?: string;
}

/** The protocol's response: an HTTP status and, except for a notification, a JSON-RPC message as text. */
export interface ProtocolAnswer {
  readonly status: number;
  readonly body: string | undefined;
}

/** Admits a further message of a batch as if it were a request of its own. @returns whose it is, or the JSON-RPC error that answers it */
export type AdmitNext = () => Promise<{ readonly origin: CallOrigin } | { readonly error: object }>;

export type ServeMcp = (request: FastifyRequest, origin: CallOrigin, admitNext: AdmitNext) => Promise<ProtocolAnswer>;

/**
 * Serves POSTs with the SDK, each in the protocol era that it speaks and with its own server, so that any replica can answer any request.
 * @param makeServer one for each request
 */
export function mcpExchanges(makeServer: (origin: CallOrigin, message: unknown) => Server, log: Log): ServeMcp {
  const modern = createMcpHandler(({ authInfo }) => makeServer(...carriedIn(authInfo)), {
    legacy: 'reject',
    onerror: (error) => log.debug({ error }, 'The protocol refused an MCP request'),
  });

  return async (request, origin, admitNext) => {
    const body = withArguments(request.body);
    const face = requestFace(request);
    const route = classifyInboundRequest({
      httpMethod: face.method,
      protocolVersionHeader: face.headers.get('mcp-protocol-version') ?? undefined,
      mcpMethodHeader: face.headers.get('mcp-method') ?? undefined,
      mcpNameHeader: face.headers.get('mcp-name') ?? undefined,
      body,
    });
    if (route.kind === 'modern' && route.messageKind === 'request' && route.message.method === 'subscriptions/listen') {
      // Nothing here ever changes for a listener, and no capability claims so; the SDK would hold the stream open all the same.
      return { status: 404, body: JSON.stringify(methodNotFound(route.message.id)) };
    }
    // The SDK refuses a batch with an `initialize` as a whole.
    if (route.kind === 'legacy' && Array.isArray(body) && !body.some(isInitializeRequest)) {
      return await serveBatch(face, body as readonly Message[], origin, admitNext);
    }
    return await answerOf(
      route.kind === 'legacy'
        ? await serveLegacy(face, body, makeServer(origin, body))
        : await modern.fetch(face, { parsedBody: body, authInfo: carrying(origin, body) }),
    );
  };

  /** One message after the other, each with its own server: the SDK would answer two requests with the same id only once. */
  async function serveBatch(
    face: Request,
    messages: readonly Message[],
    origin: CallOrigin,
    admitNext: AdmitNext,
  ): Promise<ProtocolAnswer> {
    const answers: string[] = [];
    for (const [index, message] of messages.entries()) {
      const admitted = index === 0 ? { origin } : await admitNext();
      if ('error' in admitted) {
        const { id, method } = message;
        if (id !== undefined && method !== undefined) {
          answers.push(JSON.stringify({ jsonrpc: '2.0', id, error: admitted.error }));
        }
        continue;
      }
      const answer = await answerOf(await serveLegacy(face, message, makeServer(admitted.origin, message)));
      // The messages are well-formed, so it is a header, which is every message's.
      if (index === 0 && answer.status >= BAD_REQUEST) return answer;
      if (answer.body !== undefined) answers.push(answer.body);
    }
    if (answers.length === 0) return { status: ACCEPTED, body: undefined };
    return { status: OK, body: `[${answers.join(',')}]` };
  }
}

/** Without sessions of the SDK's, which would live in one process, and with a JSON response: nothing is ever sent before the result, so there is nothing to stream. */
async function serveLegacy(face: Request, body: unknown, server: Server): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(face, { parsedBody: body });
  } finally {
    await transport.close();
  }
}

async function answerOf(response: Response): Promise<ProtocolAnswer> {
  return { status: response.status, body: response.body === null ? undefined : await response.text() };
}

/** Every answer here is JSON. */
const ALLOWS_JSON = /\*\/\*|application\/(\*|json)/i;
/** The SDK requires both by name, even from clients that accept anything, such as curl, or ask for the JSON that they get. */
const MCP_TYPES = 'application/json, text/event-stream';

/**
 * The SDK takes web-standard requests. Creating a real one from Node's costs 57 µs of some 195 µs per call. So it gets an object with the properties that it
 * reads from a request whose body is already parsed.
 */
function requestFace(request: FastifyRequest): Request {
  const face: Pick<Request, 'method' | 'url'> & { readonly headers: Pick<Headers, 'get'>; readonly signal: undefined } =
    {
      method: request.method,
      url: `http://gateway${request.url}`,
      headers: {
        get(name) {
          const lowerCased = name.toLowerCase();
          const value = request.headers[lowerCased];
          if (lowerCased === 'accept' && (value === undefined || ALLOWS_JSON.test(String(value)))) return MCP_TYPES;
          return (Array.isArray(value) ? value.join(', ') : value) ?? null;
        },
      },
      signal: undefined,
    };
  return face as unknown as Request;
}

/** The SDK's own way to pass something from the request to its server factory. */
function carrying(origin: CallOrigin, message: unknown): AuthInfo {
  const { keyId: clientId, permissions } = origin.caller;
  return { token: '', clientId, scopes: [...permissions], extra: { carried: [origin, message] } };
}

function carriedIn(authInfo: AuthInfo | undefined): [origin: CallOrigin, message: unknown] {
  const { extra } = authInfo as unknown as { readonly extra: { readonly carried: [CallOrigin, unknown] } };
  return extra.carried;
}

function methodNotFound(id: string | number): object {
  return { jsonrpc: '2.0', id, error: { code: METHOD_NOT_FOUND, message: 'Method not found' } };
}
