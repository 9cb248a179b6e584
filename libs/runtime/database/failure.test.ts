import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { servers } from '../../../test/support/servers.ts';
import { databaseFailure } from './failure.ts';

test('a write to a socket that the database has just closed means that the database is unavailable', async () => {
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  // Half open, as the driver's is until it has looked: the end has arrived, and nobody has read it.
  socket.once('end', () => {});
  socket.resume();
  await once(socket, 'end');
  const failed = once(socket, 'error');
  socket.write('command');
  const [error] = await failed;
  expect(error).toMatchObject({ code: 'EPIPE' });
  expect(databaseFailure(error)).toMatchObject({
    code: 'UNAVAILABLE',
    extra: { retryAfterSeconds: expect.any(Number) },
  });
  server.close();
});

test('a database that does not let the service in is unavailable, and its log says why', async () => {
  const url = new URL((await servers()).mongodbUrl);
  url.password = 'another';
  const client = new mongoose.mongo.MongoClient(url.href);
  const error = await client.connect().catch((refused: unknown) => refused);
  await client.close();
  expect(databaseFailure(error)).toMatchObject({ code: 'UNAVAILABLE', cause: error });
});

const { MongoBulkWriteError, MongoServerError } = mongoose.mongo;

test.each([
  ['a read that was tried on two primaries in turn', new MongoServerError({ message: 'not primary', code: 10107 })],
  ['the next page from a primary that steps down', new MongoServerError({ message: 'interrupted', code: 11602 })],
  ['a server that is shutting down', new MongoServerError({ message: 'shutting down', code: 11600 })],
  [
    'a write of many documents whose primary steps down',
    new MongoBulkWriteError({ message: 'stepped down', code: 189, writeErrors: [] }, {} as never),
  ],
  ['a server with too much to do', new MongoServerError({ message: '', code: 462, errorLabels: ['RetryableError'] })],
])('%s is unavailable, though nothing labels it as a write to be tried again', (_, error) => {
  expect(databaseFailure(error)).toMatchObject({ code: 'UNAVAILABLE', extra: { retryAfterSeconds: 2 } });
});

test.each([
  ['a refused document', new MongoServerError({ message: 'Document failed validation', code: 121 })],
  ['a command that is not understood', new MongoServerError({ message: 'unknown operator', code: 2 })],
])('%s is not', (_, error) => {
  expect(databaseFailure(error)).toBeUndefined();
});

test('an error of ours is not the database’s', () => {
  expect(databaseFailure(new TypeError('x is undefined'))).toBeUndefined();
  expect(databaseFailure('no error')).toBeUndefined();
});
