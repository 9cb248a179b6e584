import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KeyProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Adds an API key to what passes through, for a tool that cannot send one. Everything else, including `Host` and `Origin`, stays as it is. */
export async function startKeyProxy(target: URL, apiKey: string): Promise<KeyProxy> {
  const server = createServer((incoming, outgoing) => {
    const forwarded = send(
      target,
      { method: incoming.method, headers: { ...incoming.headers, authorization: `Bearer ${apiKey}` } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
