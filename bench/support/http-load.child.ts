import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type LoadOptions, type LoadResult, MAX_REFUSED } from './http-load.ts';

const LAST_CHUNK = '\r\n0\r\n\r\n';

process.once('message', (options) => {
  run(options as LoadOptions).then((result) => process.send?.(result, () => process.exit(0)));
});

process.on('disconnect', () => process.exit());

async function run(options: LoadOptions): Promise<LoadResult> {
  const {
    urls,
    request,
    connections,
    durationMs = Infinity,
    requests = Infinity,
    perSecond = Infinity,
    firstNumber = 0,
  } = options;
  const render = renderer(request);
  const latenciesMs: number[] = [];
  const statuses: Record<number, number> = {};
  const startedAtMs = performance.now();
  const refused: number[] = [];
  let sent = 0;

  const next = (): Numbered | undefined => {
    const afterMs = (sent / perSecond) * 1_000;
    if (sent >= requests || Math.max(afterMs, performance.now() - startedAtMs) >= durationMs) return undefined;
    const n = firstNumber + sent++;
    return { n, text: render(n), atMs: startedAtMs + afterMs };
  };
  const note = ({ n }: Numbered, status: number, tookMs: number): void => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    latenciesMs.push(tookMs);
    if ((status < 200 || status > 299) && refused.length < MAX_REFUSED) refused.push(n);
  };
  await Promise.all(Array.from({ length: connections }, (_, i) => converse(urls[i % urls.length] ?? '', next, note)));

  const tookMs = performance.now() - startedAtMs;
  const { user, system } = process.cpuUsage();
  latenciesMs.sort((a, b) => a - b);
  const quantile = (q: number): number => latenciesMs[Math.floor(latenciesMs.length * q)] ?? 0;
  return {
    perSecond: (latenciesMs.length / tookMs) * 1000,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    statuses,
    requests: latenciesMs.length,
    cpuMs: (user + system) / 1000,
    refused,
  };
}

interface Numbered {
  readonly n: number;
  readonly text: string;
  /** Not to be sent earlier. */
  readonly atMs: number;
}

/** One connection: a request, its response, the next request; a connection that breaks is reopened. */
async function converse(
  url: string,
  next: () => Numbered | undefined,
  note: (request: Numbered, status: number, tookMs: number) => void,
): Promise<void> {
  const { hostname, port } = new URL(url);
  let socket: Socket | undefined;
  for (let request = next(); request; request = next()) {
    const earlyMs = request.atMs - performance.now();
    if (earlyMs > 0) await delay(earlyMs);
    const startedAtMs = performance.now();
    socket ??= connect({ host: hostname, port: Number(port), noDelay: true }).on('error', () => {});
    const status = await exchange(socket, request.text);
    note(request, status, performance.now() - startedAtMs);
    if (status === 0) {
      socket.destroy();
      socket = undefined;
    }
  }
  socket?.destroy();
}

/** @returns the status of the response, or 0 if the connection broke before it was complete */
function exchange(socket: Socket, text: string): Promise<number> {
  return new Promise((resolve) => {
    let received = '';
    const end = (status: number): void => {
      socket.off('data', onData);
      socket.off('close', onClose);
      resolve(status);
    };
    const onClose = (): void => end(0);
    const onData = (chunk: Buffer): void => {
      received += chunk.toString('latin1');
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = received.slice(0, headEnd);
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? '0';
      const isWhole = /\r\ntransfer-encoding: chunked/i.test(head)
        ? received.endsWith(LAST_CHUNK)
        : received.length >= headEnd + 4 + Number(length);
      if (isWhole) end(Number(received.slice(9, 12)));
    };
    socket.on('data', onData);
    socket.on('close', onClose);
    socket.write(text);
  });
}

function renderer({
  method,
  path,
  headers = {},
  body = '',
  lists = {},
}: LoadOptions['request']): (n: number) => string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${path} HTTP/1.1\r\nHost: bench\r\n${lines.join('')}`;
  return (n) => {
    const address = `198.${18 + ((n >> 16) & 1)}.${(n >> 8) & 255}.${n & 255}`;
    const entries = Object.entries(lists).map(([name, list]) => [`{${name}}`, list[n % list.length] ?? ''] as const);
    const fill = (text: string): string =>
      [['{n}', String(n)] as const, ['{ip}', address] as const, ...entries].reduce(
        (filled, [name, value]) => filled.replaceAll(name, value),
        text,
      );
    const filled = fill(body);
    return `${fill(head)}Content-Length: ${Buffer.byteLength(filled)}\r\n\r\n${filled}`;
  };
}
