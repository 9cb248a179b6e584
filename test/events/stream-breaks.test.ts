import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_TYPES, type LoggedEvent } from '@worktrack/contracts/events/event';
import type { ServiceReplica } from '@worktrack/stack/services';
import { EventSource } from 'eventsource';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { peakMiB, residentMiB } from '../faults/memory.ts';
import { framesIn, StreamReader } from '../support/event-stream.ts';
import type { TestOrganization } from '../support/organization.ts';
import type { RunningSystem } from '../support/run-system.ts';
import { type System, startGateways } from '../support/system.ts';
import { endOfLog } from './end-of-log.ts';

let system: System & RunningSystem;
let organization: TestOrganization;
beforeAll(async () => {
  system = await startGateways(2);
});
afterAll(() => system?.stop());
beforeEach(async () => {
  organization = await system.newOrganization();
});
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Calls go to the first; the streams of a test are at this one. */
function secondGateway() {
  const gateway = system.services.of('gateway')[1];
  if (!gateway?.publicUrl) throw new Error('There is one gateway only.');
  return { ...gateway, publicUrl: gateway.publicUrl };
}

async function createItem(title: string): Promise<string> {
  const { boardId, columns, call } = organization;
  const body = { title, type: 'task', boardId, boardColumnId: columns['To Do'] };
  return (await call<{ id: string }>('POST', '/api/work-items', body)).data.id;
}

const end = () => endOfLog(organization);

const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + 1 + i);

test('an EventSource resumes by itself after its gateway was killed: each event once, in order, none missing', async () => {
  const gateway = secondGateway();
  const from = await end();
  const source = new EventSource(`${gateway.publicUrl}/api/events/stream?after=${from}`, {
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${organization.apiKey}` } }),
  });
  ends.push(() => source.close());
  const seqs: number[] = [];
  for (const type of EVENT_TYPES) {
    source.addEventListener(type, ({ data }) => seqs.push((JSON.parse(data) as LoggedEvent).seq));
  }
  const opened = () => once(source as unknown as EventTarget, 'open');
  await opened();
  for (const round of [1, 2]) {
    // Also during the kill, and while it is down.
    const writing = Promise.all(Array.from({ length: 30 }, (_, i) => createItem(`Round ${round}, ${i}`)));
    const before = seqs.length;
    await expect.poll(() => seqs.length).toBeGreaterThan(before);
    const openedAgain = opened();
    await gateway.part.kill();
    await writing;
    await gateway.part.restart();
    await openedAgain;
  }
  const to = await end();
  await expect.poll(() => seqs.at(-1)).toBeGreaterThanOrEqual(to);
  expect(seqs).toEqual(upTo(from, seqs.at(-1) as number));
});

/** The maximum for a key. */
const SLOW_READERS = 20;
const COMMENTS = 700;
/** Some 16 KB in the log. */
const TEXT = 'ü'.repeat(8_000);
/** For one process, for all of them: a fraction of how far they are behind. */
const MAX_GROWTH_MIB = 100;

/** A stream from the beginning of the log from which nothing is read, except what the buffers of the two systems hold. */
async function unread(gateway: string, apiKey: string): Promise<IncomingMessage> {
  const request = get(`${gateway}/api/events/stream?after=0`, {
    agent: false,
    headers: { authorization: `Bearer ${apiKey}` },
  });
  request.on('error', () => {});
  ends.push(() => request.destroy());
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

async function slowReaders({ opsUrl }: ServiceReplica): Promise<number> {
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
  return Number(/^worktrack_event_streams_ended_total\{reason="slow"\} (\d+)/m.exec(metrics)?.[1]);
}

test('readers that read nothing are ended with an event that says where to resume, and cost a gateway little memory', async () => {
  const [gateway, crowded] = system.services.of('gateway') as [ServiceReplica, ServiceReplica];
  // First: its event comes from another service, and would arrive after what `end` takes for the last one.
  const { key } = (await organization.call<{ key: string }>('POST', '/api/api-keys', { name: 'Slow' })).data;
  const id = await createItem('Talked about');
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      for (let i = 0; i < COMMENTS / 10; i++) {
        expect((await organization.call('POST', `/api/work-items/${id}/comments`, { text: TEXT })).status).toBe(201);
      }
    }),
  );
  const to = await end();
  const beforeMiB = residentMiB(crowded.part.pid);
  const one = await unread(gateway.publicUrl as string, organization.apiKey);
  await Promise.all(Array.from({ length: SLOW_READERS }, () => unread(crowded.publicUrl as string, key)));

  // It accepts its last words.
  while ((await slowReaders(gateway)) === 0) await sleep(50);
  const frames = framesIn(await text(one));
  expect(frames.at(-1)?.event).toBe('slow');
  const place = Number(frames.at(-1)?.id);
  expect(frames.slice(1, -1).map(({ id: seq }) => Number(seq))).toEqual(upTo(0, place));
  expect(place).toBeLessThan(to);
  const rest = await StreamReader.open(gateway.publicUrl as string, organization.apiKey, '', {
    'last-event-id': String(place),
  });
  ends.push(() => rest.leave());
  await expect.poll(() => rest.events.at(-1)?.seq).toBeGreaterThanOrEqual(to);
  const seqs = rest.events.map(({ seq }) => seq);
  expect(seqs).toEqual(upTo(place, seqs.at(-1) as number));

  await expect.poll(() => slowReaders(crowded)).toBe(SLOW_READERS);
  expect(peakMiB(crowded.part.pid) - beforeMiB).toBeLessThan(MAX_GROWTH_MIB);
}, 300_000);
