import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { findPip } from '@worktrack/stack/servers/pip';
import { type PythonPackages, pythonPackages } from './python-packages.ts';

/** OpenTelemetry's own messages, generated from its .proto files. */
const MESSAGES = 'opentelemetry-proto==1.44.0';
const DECODE = `
import base64, json, sys
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
for name in sys.argv[1:]:
    message = ExportTraceServiceRequest()
    message.ParseFromString(open(name, 'rb').read())
    print(json.dumps(MessageToDict(message)))
`;

export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly hasFailed: boolean;
  readonly durationMs: number;
}

/**
 * Somebody else's receiver of OTLP over HTTP. It takes protobuf, the default, and decodes it by OpenTelemetry's own package; where there is no Python, JSON,
 * which is as standard.
 */
export class OtlpReceiver {
  readonly bodies: Buffer[] = [];
  readonly #server: Server;
  readonly #python: PythonPackages | undefined;
  readonly #spans: ReceivedSpan[] = [];
  #decoded = 0;

  private constructor(server: Server, python: PythonPackages | undefined) {
    this.#server = server;
    this.#python = python;
  }

  static async start(): Promise<OtlpReceiver> {
    const python = await findPip();
    const packages = python ? await pythonPackages(python, [MESSAGES]).catch(() => undefined) : undefined;
    const server = createServer(async (request, response) => {
      const body = await buffer(request);
      const isTraces = request.method === 'POST' && request.url === '/v1/traces';
      if (isTraces) receiver.bodies.push(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
      response.writeHead(isTraces ? 200 : 404, { 'content-type': request.headers['content-type'] }).end();
    });
    const receiver = new OtlpReceiver(server, packages);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  /** The standard variables with which services send to it, soon. */
  get env(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: this.#python ? 'http/protobuf' : 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    };
  }

  /** Everything so far. */
  async spans(): Promise<ReceivedSpan[]> {
    const bodies = this.bodies.slice(this.#decoded);
    this.#decoded += bodies.length;
    if (bodies.length > 0) {
      const requests = this.#python ? await decoded(bodies, this.#python) : bodies.map((body) => JSON.parse(`${body}`));
      this.#spans.push(...requests.flatMap(spansOf));
    }
    return [...this.#spans];
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function decoded(bodies: readonly Buffer[], python: PythonPackages): Promise<unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), 'worktrack-otlp-'));
  try {
    const files = bodies.map((body, index) => {
      writeFileSync(join(folder, `${index}`), body);
      return `${index}`;
    });
    const { ok, output } = await python.run(['-c', DECODE, ...files], folder);
    if (!ok) throw new Error(output);
    return output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
}
type Attribute = { readonly key: string; readonly value: Value };

// biome-ignore lint/suspicious/noExplicitAny: what a stranger sent, by https://github.com/open-telemetry/opentelemetry-proto
function spansOf(request: any): ReceivedSpan[] {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  return request.resourceSpans.flatMap(({ resource, scopeSpans }: any) => {
    const service = String(attributesOf(resource.attributes)['service.name']);
    // biome-ignore lint/suspicious/noExplicitAny: as above
    return scopeSpans.flatMap(({ spans }: any) =>
      // biome-ignore lint/suspicious/noExplicitAny: as above
      spans.map((span: any) => ({
        service,
        ...{ traceId: hex(span.traceId), spanId: hex(span.spanId), parentSpanId: hex(span.parentSpanId ?? '') },
        name: span.name,
        kind: kindOf(span.kind),
        attributes: attributesOf(span.attributes),
        // biome-ignore lint/suspicious/noExplicitAny: as above
        links: (span.links ?? []).map((link: any) => ({ traceId: hex(link.traceId), spanId: hex(link.spanId) })),
        hasFailed: span.status?.code === 2 || span.status?.code === 'STATUS_CODE_ERROR',
        durationMs: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
      })),
    );
  });
}

function attributesOf(attributes: readonly Attribute[] = []): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue ?? value.doubleValue)]),
  );
}

/** Protobuf's JSON has ids in base64, OTLP's in hexadecimal. */
function hex(id: string): string {
  return /^([0-9a-f]{16}|[0-9a-f]{32})?$/.test(id) ? id : Buffer.from(id, 'base64').toString('hex');
}

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
function kindOf(kind: string | number): string {
  return typeof kind === 'number' ? (KINDS[kind] ?? '') : kind.replace('SPAN_KIND_', '').toLowerCase();
}
