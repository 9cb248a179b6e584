import type { Caller } from '@worktrack/contracts/caller';
import { afterEach, expect, test, vi } from 'vitest';
import { type EndedSpan, HeldSpans } from './held-spans.ts';
import { samplerOf } from './sampler.ts';
import { isTraceparent, readTraceparent } from './trace-context.ts';
import { Traces } from './traces.ts';

const FOREIGN = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

function traces(env: NodeJS.ProcessEnv = { OTEL_TRACES_SAMPLER_ARG: '0' }) {
  const sent: EndedSpan[] = [];
  const held = new HeldSpans((span) => sent.push(span));
  return { tracing: new Traces(held, samplerOf(env), async () => {}), held, sent };
}
const outgoing = (tracing: Traces, index: number) => tracing.outgoing(`op ${index}`, 'workitems', {});

test('of what is not sampled, a trace is sent whole if a call in it failed, and otherwise nothing of it', () => {
  const { tracing, sent } = traces();
  const well = tracing.request('GET /', undefined, false);
  tracing.ended(tracing.outgoing('workItems.get', 'workitems', { trace: well }), 'NOT_FOUND');
  well.end({}, false);
  expect(sent).toEqual([]);
  expect(well.exemplar).toBeUndefined();
  const failed = tracing.request('GET /', undefined, false);
  tracing.ended(tracing.outgoing('workItems.get', 'workitems', { trace: failed }), 'ok');
  tracing.ended(tracing.outgoing('feedback.get', 'feedback', { trace: failed }), 'UNAVAILABLE');
  expect(sent).toEqual([]);
  failed.end({}, true);
  expect(sent.map(({ name, hasFailed }) => [name, hasFailed])).toEqual([
    ['workItems.get', false],
    ['feedback.get', true],
    ['GET /', true],
  ]);
  expect(new Set(sent.map(({ context }) => context.traceId))).toEqual(new Set([failed.traceId]));
  expect(sent[0]?.parent?.spanId).toBe(sent[2]?.context.spanId);
});

test('a call says which organization it is for, as its caller sees it, too', () => {
  const { tracing, sent } = traces();
  const caller = { organizationId: 'an organization', permissions: [], keyId: 'a key' } as unknown as Caller;
  tracing.ended(tracing.outgoing('workItems.get', 'workitems', { caller }), 'INTERNAL');
  tracing.ended(tracing.outgoing('keys.verify', 'keys', {}), 'INTERNAL');
  expect(sent.map(({ attributes }) => attributes['worktrack.organization.id'])).toEqual(['an organization', undefined]);
});

test('what others write into a header is a link and decides nothing, unless they are trusted', () => {
  const { tracing, sent } = traces();
  const foreign = tracing.request('GET /', FOREIGN, false);
  expect(foreign.traceId).not.toBe(readTraceparent(FOREIGN).traceId);
  foreign.end({}, false);
  expect(sent).toEqual([]);
  tracing.request('GET /', FOREIGN, false).end({}, true);
  expect(sent[0]).toMatchObject({ parent: undefined, links: [readTraceparent(FOREIGN)] });
  tracing.request('GET /', FOREIGN, true).end({}, false);
  expect(sent[1]).toMatchObject({ parent: readTraceparent(FOREIGN), links: [] });
  expect(sent[1]?.context.traceId).toBe(readTraceparent(FOREIGN).traceId);
});

test('a message is one span, with its number of calls and at most 128 links, and is kept with any of its calls', async () => {
  const { tracing, sent } = traces();
  const calls = Array.from({ length: 200 }, (_, i) => ({
    ...{ operation: 'feedback.ingest', organizationId: `organization ${i}` },
    traceparent: outgoing(tracing, i).traceparent,
  }));
  const batch = tracing.incoming('rpc.feedback', calls);
  batch.run(() => tracing.current()?.child('client', 'insert items', {}).end({}, false));
  for (const [index, call] of batch.calls.entries()) tracing.ended(call, index === 150 ? 'INTERNAL' : 'ok');
  expect(sent.map(({ name }) => name)).toEqual(['feedback.ingest', 'insert items', 'process rpc.feedback']);
  const [call, command, message] = sent;
  expect(call?.attributes['worktrack.organization.id']).toBe('organization 150');
  expect(call?.parent).toEqual(readTraceparent(calls[150]?.traceparent ?? ''));
  expect(command?.parent?.spanId).toBe(message?.context.spanId);
  expect(message?.links).toEqual(calls.slice(0, 128).map(({ traceparent }) => readTraceparent(traceparent)));
  expect(message?.attributes['messaging.batch.message_count']).toBe(200);
  const calm = tracing.incoming('rpc.feedback', calls);
  for (const each of calm.calls) tracing.ended(each, 'CONFLICT');
  expect(sent).toHaveLength(3);
});

test('what calls under way hold is bounded: the oldest is forgotten, but not that it failed', () => {
  const { tracing, sent } = traces();
  const oldest = tracing.request('GET /old', undefined, false);
  tracing.ended(tracing.outgoing('early', 'workitems', { trace: oldest }), 'ok');
  const many = Array.from({ length: 10_000 }, (_, i) => tracing.request(`GET /${i}`, undefined, false));
  tracing.ended(tracing.outgoing('late', 'workitems', { trace: oldest }), 'ok');
  oldest.end({}, true);
  expect(sent.map(({ name }) => name)).toEqual(['GET /old']);
  for (const each of many) each.end({}, false);
  const next = tracing.request('GET /next', undefined, false);
  tracing.ended(tracing.outgoing('call', 'workitems', { trace: next }), 'INTERNAL');
  next.end({}, true);
  expect(sent.map(({ name }) => name)).toEqual(['GET /old', 'call', 'GET /next']);
});

test('what goes on after its call belongs to it no more', async () => {
  const { tracing } = traces();
  const batch = tracing.incoming('rpc.events', [{ operation: 'a', organizationId: undefined, traceparent: undefined }]);
  const [call] = batch.calls;
  const later = call?.run(async () => {
    expect(tracing.current()).toBeDefined();
    await new Promise((resolve) => setImmediate(resolve));
    return tracing.current();
  });
  if (call) tracing.ended(call, 'ok');
  expect(await later).toBeUndefined();
});

test.each([
  [{}, 0.01],
  [{ OTEL_TRACES_SAMPLER_ARG: '0.2' }, 0.2],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' }, 0.5],
  [{ OTEL_TRACES_SAMPLER: 'always_on' }, 1],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, 0],
])('%o samples a share of %f', (env, share) => {
  const { tracing, sent } = traces(env);
  const all = 20_000;
  for (let i = 0; i < all; i++) tracing.request('GET /', undefined, false).end({}, false);
  // Five standard deviations.
  expect(Math.abs(sent.length / all - share)).toBeLessThanOrEqual(5 * Math.sqrt((share * (1 - share)) / all));
});

test.each([
  [{ OTEL_TRACES_SAMPLER: 'sometimes' }, /not one of the standard samplers/],
  [{ OTEL_TRACES_SAMPLER_ARG: '2' }, /from 0 to 1/],
  [{ OTEL_TRACES_SAMPLER_ARG: 'much' }, /from 0 to 1/],
])('%o is refused', (env, why) => {
  expect(() => samplerOf(env)).toThrow(why);
});

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
afterEach(() => vi.unstubAllEnvs());
test.each([
  [{}, false],
  [ENDPOINT, true],
  [{ ...ENDPOINT, OTEL_SDK_DISABLED: '' }, true],
  [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }, false],
  [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }, false],
])('with %o calls are traced: %s', async (env, isTracing) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  // A module of its own, since it decides once. The modules of this process's other files stay: a model that is loaded twice is refused.
  expect(await import(/* @vite-ignore */ `./tracing.ts?${new URLSearchParams(env)}`)).toMatchObject({ isTracing });
});

test.each([
  [FOREIGN, true],
  ['ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', false],
  ['00-00000000000000000000000000000000-00f067aa0ba902b7-01', false],
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01', false],
  ['00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01', false],
  [`${FOREIGN}-more`, false],
  [undefined, false],
])('%s is a trace context: %s', (text, isOne) => {
  expect(isTraceparent(text)).toBe(isOne);
});
