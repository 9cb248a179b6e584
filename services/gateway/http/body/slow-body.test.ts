import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { limitSlowBodies } from './slow-body.ts';

let app: FastifyInstance;
afterEach(() => app.close());

async function listen(deadlineMs: number): Promise<number> {
  app = fastify();
  limitSlowBodies(app, deadlineMs);
  app.post('/json', async (request) => request.body);
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => {
    payload.on('end', () => done(null, undefined));
    payload.resume();
  });
  app.post('/stream', { config: { streamsBody: true } }, async () => 'all of it');
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}

/** Sends the head and part of a body, and the rest only when told to. */
function begin(port: number, path: string, type: string) {
  const socket = connect(port, '127.0.0.1');
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: 9\r\n\r\n`;
  socket.write(`${head}{"a":`);
  const answer = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (chunk) => (text += chunk));
    socket.on('close', () => resolve(text));
  });
  return { answer, finish: () => socket.write('1}  ') };
}

test('a body that does not arrive in time closes the connection, and says so in the envelope', async () => {
  const { answer } = begin(await listen(20), '/json', 'application/json');
  const [head = '', body = ''] = (await answer).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 408 .*^X-Request-Id: ./ms);
  expect(JSON.parse(body)).toMatchObject({ success: false, error: { message: expect.stringContaining('in time') } });
});

test('a body that arrives in time is read, and the limit is lifted', async () => {
  const { answer, finish } = begin(await listen(30_000), '/json', 'application/json');
  finish();
  expect(await answer).toMatch(/^HTTP\/1\.1 200 .*\{"a":1\}$/s);
});

test('a route that reads its own body is left alone', async () => {
  const { answer, finish } = begin(await listen(20), '/stream', 'application/octet-stream');
  // Longer than the limit of the others.
  await new Promise((resolve) => setTimeout(resolve, 60));
  finish();
  expect(await answer).toMatch(/^HTTP\/1\.1 200 .*all of it$/s);
});
