import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@worktrack/stack/layout';
import type { Part } from '@worktrack/stack/processes/part';
import type { RunningSystem } from '../support/run-system.ts';
import { poisonQueues } from './faults.ts';

/** A fault that lasts until it is mended, and who is told of it. */
export interface TellingFault {
  readonly name: string;
  /** Alerts that wake somebody: exactly these, within 60 s. */
  readonly pages: readonly string[];
  /** Of the alerts for the working day these at least, within 60 s. */
  readonly tickets: readonly string[];
  /** Alerts that wake somebody, and are true of it too: where calls wait before they fail, some are slow first. */
  readonly mayPage?: readonly string[];
  /** @returns what mends it */
  begin(system: RunningSystem): Promise<() => Promise<unknown>>;
}

const AVAILABILITY = 'WorktrackAvailability';
const LATENCY = 'WorktrackLatency';
const SERVICE_DOWN = 'WorktrackServiceDown';
const REPLICA_DOWN = 'WorktrackReplicaDown';
const UNANSWERED = 'WorktrackCallsUnanswered';

/** Of every two seconds and a bit, the bit: no call ends within a second, and none is given up. */
const STOPPED_MS = 2_000;
const RUNNING_MS = 150;

const away =
  (partsOf: (system: RunningSystem) => readonly (Part | undefined)[]): TellingFault['begin'] =>
  async (system) => {
    const parts = partsOf(system).filter((part) => part !== undefined);
    await Promise.all(parts.map((part) => part.kill()));
    return () => Promise.all(parts.map((part) => part.restart()));
  };

const slow =
  (partOf: (system: RunningSystem) => Part | undefined): TellingFault['begin'] =>
  async (system) => {
    const part = partOf(system);
    const over = new AbortController();
    const slowed = (async () => {
      while (!over.signal.aborted) {
        await part?.kill('SIGSTOP');
        await delay(STOPPED_MS);
        await part?.kill('SIGCONT');
        await delay(RUNNING_MS);
      }
    })();
    return () => {
      over.abort();
      return slowed;
    };
  };

const poisoned: TellingFault['begin'] = async (system) => {
  await poisonQueues(system);
  return () => Promise.resolve();
};

const one = (service: ServiceName) => (system: RunningSystem) => [system.services.of(service)[0]?.part];
const all = (service: ServiceName) => (system: RunningSystem) => system.services.of(service).map(({ part }) => part);

/**
 * What breaks, and the alerts that it raises (docs/reliability.md has the same table for people). Those after which the error budget is spent come last: for
 * the hour after an outage, less is enough to wake somebody.
 */
export const TELLING_FAULTS: readonly TellingFault[] = [
  { name: 'one of two workitems is away', pages: [], tickets: [REPLICA_DOWN], begin: away(one('workitems')) },
  { name: 'one of two gateways is away', pages: [], tickets: [REPLICA_DOWN], begin: away(one('gateway')) },
  {
    ...{ name: 'Redis is away', pages: [], tickets: ['WorktrackRedisFallback'] },
    begin: away(({ servers }) => [servers?.redis.part]),
  },
  { name: 'a poison message in every queue', pages: [], tickets: ['WorktrackDeadLetters'], begin: poisoned },
  {
    ...{ name: 'both events are away', pages: [SERVICE_DOWN], tickets: [REPLICA_DOWN] },
    begin: away(all('events')),
  },
  {
    ...{ name: 'the database is slow', pages: [LATENCY], tickets: [], mayPage: [AVAILABILITY] },
    begin: slow(({ servers }) => servers?.mongodb.part),
  },
  {
    ...{ name: 'both feedback are away', pages: [SERVICE_DOWN, AVAILABILITY], tickets: [REPLICA_DOWN, UNANSWERED] },
    ...{ mayPage: [LATENCY], begin: away(all('feedback')) },
  },
  {
    ...{ name: 'both workitems are away', pages: [SERVICE_DOWN, AVAILABILITY], tickets: [REPLICA_DOWN, UNANSWERED] },
    ...{ mayPage: [LATENCY], begin: away(all('workitems')) },
  },
  {
    ...{ name: 'both keys are away', pages: [SERVICE_DOWN], tickets: [REPLICA_DOWN] },
    ...{ mayPage: [AVAILABILITY, LATENCY], begin: away(all('keys')) },
  },
  {
    ...{ name: 'both gateways are away', pages: [SERVICE_DOWN], tickets: [REPLICA_DOWN] },
    ...{ mayPage: [AVAILABILITY, LATENCY], begin: away(all('gateway')) },
  },
  {
    ...{ name: 'the database is away', pages: [AVAILABILITY], tickets: [], mayPage: [LATENCY] },
    begin: away(({ servers }) => [servers?.mongodb.part]),
  },
  {
    ...{ name: 'RabbitMQ is away', pages: [AVAILABILITY], tickets: [UNANSWERED], mayPage: [LATENCY] },
    begin: away(({ servers }) => [servers?.rabbitmq.part]),
  },
];
