import { randomUUID } from 'node:crypto';
import { isPublicKey } from '@worktrack/contracts/feedback/public-key';
import { MAX_SOURCES } from '@worktrack/contracts/feedback/sources';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf, startFeedback } from '../testing.ts';
import { SourceModel } from './sources.model.ts';

let feedback: Awaited<ReturnType<typeof startFeedback>>;
beforeAll(async () => {
  feedback = await startFeedback();
});
afterAll(() => feedback.stop());

const enabled = async (publicKey: string) => (await feedback.call('sources.byPublicKey', { publicKey })).source;

test('a new source asks for a captcha, accepts any origin and is enabled, unless stated otherwise', async () => {
  const organizationId = randomUUID();
  const source = await feedback.call('sources.create', { name: 'Site' }, organizationId);
  expect(source).toEqual({
    id: expect.any(String),
    organizationId,
    publicKey: expect.stringMatching(/^pk_[0-9A-Za-z]{24}$/),
    type: 'widget',
    name: 'Site',
    allowedDomains: [],
    requireCaptcha: true,
    enabled: true,
    createdAt: expect.any(String),
    updatedAt: source.createdAt,
  });
  expect(isPublicKey(source.publicKey)).toBe(true);
  expect(await feedback.call('sources.get', { id: source.id }, organizationId)).toEqual(source);
});

test('an organization has at most so many sources, however many are created at once', async () => {
  const organizationId = randomUUID();
  const create = () => codeOf(feedback.call('sources.create', { name: 'Site' }, organizationId));
  expect(await create()).toBe('ok');
  const one = await SourceModel.findOne({ organizationId }).lean();
  const others = Array.from({ length: MAX_SOURCES - 2 }, () => ({ ...one, _id: uuidv7(), publicKey: uuidv7() }));
  await SourceModel.insertMany(others, { lean: true });
  const codes = await Promise.all(Array.from({ length: 8 }, create));
  expect(codes.toSorted()).toEqual([...Array(7).fill('CONFLICT'), 'ok']);
});

test('everything given is kept as it was given, and the list is newest first', async () => {
  const organizationId = randomUUID();
  const given = {
    name: 'Server',
    type: 'server',
    allowedDomains: ['https://example.com', '*.Example.org', 'localhost:3000'],
    requireCaptcha: false,
    enabled: false,
    rateLimit: { perIp: 5, perSource: 50, windowSeconds: 10 },
  } as const;
  const first = await feedback.call(
    'sources.create',
    { ...given, allowedDomains: [...given.allowedDomains] },
    organizationId,
  );
  expect(first).toMatchObject(given);
  const second = await feedback.call('sources.create', { name: 'Later' }, organizationId);
  expect(await feedback.call('sources.list', {}, organizationId)).toEqual([second, first]);
});

test('a change touches only what is given; rateLimit null removes its own limits', async () => {
  const organizationId = randomUUID();
  const rateLimit = { perIp: 5, perSource: 50, windowSeconds: 10 };
  const { id, ...made } = await feedback.call('sources.create', { name: 'Site', rateLimit }, organizationId);
  const change = (input: object) => feedback.call('sources.update', { id, ...input }, organizationId);
  expect(await change({ name: 'Renamed' })).toMatchObject({ ...made, name: 'Renamed', updatedAt: expect.any(String) });
  expect(await change({ rateLimit: { ...rateLimit, perIp: 6 } })).toMatchObject({
    rateLimit: { ...rateLimit, perIp: 6 },
  });
  expect(await change({ rateLimit: null })).not.toHaveProperty('rateLimit');
  expect(await change({ allowedDomains: ['example.com'], requireCaptcha: false, type: 'server' })).toMatchObject({
    allowedDomains: ['example.com'],
    requireCaptcha: false,
    type: 'server',
    name: 'Renamed',
  });
});

test('a source is found by its public key while it is enabled', async () => {
  const organizationId = randomUUID();
  const { id, publicKey } = await feedback.call(
    'sources.create',
    { name: 'Site', allowedDomains: ['a.example'] },
    organizationId,
  );
  expect(await enabled(publicKey)).toEqual({
    id,
    organizationId,
    publicKey,
    type: 'widget',
    name: 'Site',
    allowedDomains: ['a.example'],
    requireCaptcha: true,
  });
  await feedback.call('sources.update', { id, enabled: false }, organizationId);
  expect(await enabled(publicKey)).toBeNull();
  await feedback.call('sources.update', { id, enabled: true }, organizationId);
  expect((await enabled(publicKey))?.id).toBe(id);
  expect(await feedback.call('sources.delete', { id }, organizationId)).toEqual({ deleted: true, id });
  expect(await enabled(publicKey)).toBeNull();
  expect(await enabled('pk_')).toBeNull();
});

test('a public key that somebody makes up costs one query', async () => {
  const queries: string[] = [];
  mongoose.set('debug', (collection: string, method: string) => void queries.push(`${collection}.${method}`));
  const source = await enabled('pk_000000000000000000000000');
  mongoose.set('debug', false);
  expect(source).toBe(null);
  expect(queries).toContain('sources.find');
  expect(queries).not.toContain('quotas.find');
});

test('a source of another organization is not found', async () => {
  const { id } = await feedback.call('sources.create', { name: 'Site' }, randomUUID());
  const other = randomUUID();
  expect(await codeOf(feedback.call('sources.get', { id }, other))).toBe('NOT_FOUND');
  expect(await codeOf(feedback.call('sources.update', { id, name: 'Taken' }, other))).toBe('NOT_FOUND');
  expect(await codeOf(feedback.call('sources.delete', { id }, other))).toBe('NOT_FOUND');
  expect(await codeOf(feedback.call('sources.get', { id: uuidv7() }, other))).toBe('NOT_FOUND');
  expect(await feedback.call('sources.list', {}, other)).toEqual([]);
});

test('the same idempotency key creates one source', async () => {
  const organizationId = randomUUID();
  const key = randomUUID();
  const [one, two] = [
    await feedback.call('sources.create', { name: 'Site' }, organizationId, key),
    await feedback.call('sources.create', { name: 'Site' }, organizationId, key),
  ];
  expect(two).toEqual(one);
  expect(await feedback.call('sources.list', {}, organizationId)).toHaveLength(1);
});
