import { createSocket, type Socket } from 'node:dgram';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Destinations } from '@worktrack/runtime/outbound/destination';
import { AllowedNetworks } from '@worktrack/runtime/outbound/networks';
import { afterEach, expect, test } from 'vitest';
import { newCertificate } from '../../../../test/support/certificate.ts';
import { Endpoint } from '../../../../test/support/webhook-endpoint.ts';
import { Sender } from './send.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const BODY = JSON.stringify({ seq: 1 });

function sender(networks: readonly string[], dnsServers?: readonly string[]): Sender {
  const made = new Sender(
    new Destinations(new AllowedNetworks(networks), 'WEBHOOK_ALLOWED_NETWORKS', dnsServers),
    'test',
  );
  ends.push(() => made.close());
  return made;
}

async function endpoint(...answer: Parameters<typeof Endpoint.start>): Promise<Endpoint> {
  const started = await Endpoint.start(...answer);
  ends.push(() => started.stop());
  return started;
}

/** A name server that answers each question for an IPv4 address with the next of `addresses`, and the last one from then on. */
async function nameServer(
  addresses: readonly string[],
): Promise<{ readonly at: string; readonly asked: () => number }> {
  const server: Socket = createSocket('udp4');
  let asked = 0;
  server.on('message', (question, from) => {
    const end = question.indexOf(0, 12) + 5;
    const isIPv4 = question.readUInt16BE(end - 4) === 1;
    const head = Buffer.from(question.subarray(0, end));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(isIPv4 ? 1 : 0, 6);
    head.fill(0, 8, 12);
    if (!isIPv4) {
      server.send(head, from.port, from.address);
      return;
    }
    const address = addresses[Math.min(asked++, addresses.length - 1)] ?? '';
    // A pointer to the name, A, IN, no time to live, four bytes.
    const answer = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]);
    server.send(Buffer.concat([head, answer]), from.port, from.address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  ends.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { at: `127.0.0.1:${server.address().port}`, asked: () => asked };
}

test.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '100.64.0.1', '224.0.0.1', '0.0.0.0'])(
  'a name that leads to %s is not connected to, and what it leads to is not revealed',
  async (address) => {
    const dns = await nameServer([address]);
    const sent = await sender([], [dns.at]).post('https://hooks.example.com/', {}, BODY);
    expect(sent).toMatchObject({ status: null });
    expect(sent.error).toMatch(/has no public address/);
    expect(sent.error).not.toContain(address);
  },
);

test('a name is resolved once per connection, and a second answer of its server has no effect', async () => {
  const well = await endpoint();
  const { port } = new URL(well.url);
  const dns = await nameServer(['127.0.0.1', '127.0.0.2']);
  const post = sender(['127.0.0.1'], [dns.at]);
  const url = `http://hooks.example.com:${port}/`;
  expect(await post.post(url, {}, BODY)).toMatchObject({ status: 200, answer: 'ok' });
  expect(dns.asked()).toBe(1);
  // Another connection, for which the name leads elsewhere.
  post.close();
  const again = await post.post(url, {}, BODY);
  expect(again).toMatchObject({ status: null });
  expect(again.error).toMatch(/is in no network/);
  expect(well.received).toHaveLength(1);
});

test('a name server that is silent costs only its own request', async () => {
  const silent = createSocket('udp4');
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
  ends.push(() => new Promise<void>((resolve) => silent.close(() => resolve())));
  const lost = sender(['127.0.0.1'], [`127.0.0.1:${silent.address().port}`]);
  const well = await endpoint();
  const waiting = Array.from({ length: 16 }, (_, i) => lost.post(`https://a${i}.example.com/`, {}, BODY));
  const begunAt = performance.now();
  expect(await lost.post(well.url, {}, BODY)).toMatchObject({ status: 200 });
  expect(performance.now() - begunAt).toBeLessThan(2_000);
  for (const { status, error } of await Promise.all(waiting)) {
    expect({ status, error }).toMatchObject({ status: null, error: expect.stringMatching(/was not found in DNS/) });
  }
});

test.each([
  ['https://127.0.0.1:1/', /not public/],
  ['https://[::ffff:127.0.0.1]:1/', /not public/],
  ['http://example.com/', /https/],
])('%s is refused here too, if a stored record has it', async (url, why) => {
  expect((await sender([]).post(url, {}, BODY)).error).toMatch(why);
});

test('proxies from the environment are not used', async () => {
  const proxy = await endpoint();
  const before = { ...process.env };
  Object.assign(process.env, { HTTP_PROXY: proxy.url, http_proxy: proxy.url, NODE_USE_ENV_PROXY: '1' });
  ends.push(() => {
    process.env = before;
  });
  const well = await endpoint();
  expect(await sender(['127.0.0.1']).post(well.url, {}, BODY)).toMatchObject({ status: 200 });
  expect(proxy.received).toEqual([]);
});

test('a certificate that nobody vouches for is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'worktrack-tls-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  let asked = 0;
  const server = createHttps(newCertificate(folder), (_, response) => {
    asked++;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  const sent = await sender(['127.0.0.1']).post(`https://127.0.0.1:${port}/`, {}, BODY);
  expect(sent.error).toMatch(/certificate/);
  expect(asked).toBe(0);
});

/** A server that answers with these bytes, whatever it is asked. */
async function raw(bytes: string, isClosed = true): Promise<string> {
  const server: Server = createTcp((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => (isClosed ? socket.end(bytes) : socket.write(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test.each([
  ['nothing', '', /closed before there was a response/],
  ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', /not HTTP/],
  ['a head without end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`, /longer than 16 KiB/],
  [
    'another protocol to go on with',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
    /ended/,
  ],
])('%s is not an answer', async (_, bytes, why) => {
  const sent = await sender(['127.0.0.1']).post(await raw(bytes), {}, BODY);
  expect(sent.error ?? `${sent.status}`).toMatch(why);
});

test('what is not text is shown as far as it is text', async () => {
  const url = await raw('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\na\0\xffb');
  expect(await sender(['127.0.0.1']).post(url, {}, BODY)).toMatchObject({ status: 200 });
});

test('a connection that is refused is reported in words', async () => {
  const gone = await Endpoint.start();
  const { url } = gone;
  await gone.stop();
  expect((await sender(['127.0.0.1']).post(url, {}, BODY)).error).toBe('The connection was refused.');
});

test('one connection serves several requests', async () => {
  const ports = new Set<number | undefined>();
  const well = await endpoint(() => (response) => {
    ports.add(response.socket?.remotePort);
    response.end();
  });
  const post = sender(['127.0.0.1']);
  for (let i = 0; i < 5; i++) await post.post(well.url, {}, BODY);
  expect(ports.size).toBe(1);
});
