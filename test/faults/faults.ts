import { setTimeout as delay } from 'node:timers/promises';
import { SERVICES, type ServiceName } from '@worktrack/stack/layout';
import type { Part } from '@worktrack/stack/processes/part';
import { connect } from 'amqplib';
import { Redis } from 'ioredis';
import type { RunningSystem } from '../support/run-system.ts';

/** Longer than the deadline of a call (10 s), so that what was in flight cannot be answered in time. */
const FREEZE_MS = 12_000;
/** A process that gets a tenth of its time: each call takes ten times as long, and nothing about it is broken. */
const PULSE_STOPPED_MS = 450;
const PULSE_RUNNING_MS = 50;
/** How long a killed part stays down. */
const AWAY_MS = 2_000;

export interface Fault {
  readonly name: string;
  /** No client may be refused because of it. */
  readonly unnoticed?: boolean;
  /** Breaks the part and brings it back. What is faulty is faulty in itself: no timeout of the test decides. */
  run(system: RunningSystem): Promise<void>;
}

const killed = (name: string, partsOf: (system: RunningSystem) => readonly (Part | undefined)[]): Fault => ({
  name: `${name}: kill -9`,
  async run(system) {
    const parts = partsOf(system).filter((part) => part !== undefined);
    await Promise.all(parts.map((part) => part.kill()));
    await delay(AWAY_MS);
    await Promise.all(parts.map((part) => part.restart()));
  },
});

const frozen = (name: string, partsOf: (system: RunningSystem) => readonly (Part | undefined)[]): Fault => ({
  name: `${name}: frozen for ${FREEZE_MS / 1000} s`,
  async run(system) {
    const parts = partsOf(system).filter((part) => part !== undefined);
    await Promise.all(parts.map((part) => part.kill('SIGSTOP')));
    await delay(FREEZE_MS);
    await Promise.all(parts.map((part) => part.kill('SIGCONT')));
  },
});

/** Like a process on a machine that has no time for it. */
const slowed = (name: string, partsOf: (system: RunningSystem) => readonly (Part | undefined)[]): Fault => ({
  name: `${name}: slowed to a tenth for ${FREEZE_MS / 1000} s`,
  async run(system) {
    const parts = partsOf(system).filter((part) => part !== undefined);
    const until = Date.now() + FREEZE_MS;
    while (Date.now() < until) {
      await Promise.all(parts.map((part) => part.kill('SIGSTOP')));
      await delay(PULSE_STOPPED_MS);
      await Promise.all(parts.map((part) => part.kill('SIGCONT')));
      await delay(PULSE_RUNNING_MS);
    }
  },
});

const one = (service: ServiceName) => (system: RunningSystem) => [system.services.of(service)[0]?.part];
const all = (service: ServiceName) => (system: RunningSystem) => system.services.of(service).map(({ part }) => part);

/** A message that nobody can read, in every queue. */
export async function poisonQueues({ urls }: RunningSystem): Promise<void> {
  const connection = await connect(urls.rabbitmq);
  const channel = await connection.createConfirmChannel();
  for (const service of ['keys', 'workitems', 'feedback', 'events']) {
    channel.sendToQueue(`rpc.${service}`, Buffer.from('{"this is":'), {});
    channel.sendToQueue(`rpc.${service}`, Buffer.alloc(2_000, 0xff), { replyTo: 'not a reply address' });
  }
  channel.sendToQueue('events.log', Buffer.from('{"e":[]}'), {});
  await channel.waitForConfirms();
  await connection.close();
}
const poisonedQueue: Fault = { name: 'a poison message in every queue', run: poisonQueues };

/** A command to the broker, and one that undoes it after a while, where it does not pass by itself. */
const commanded = (name: string, args: readonly string[], back?: readonly string[]): Fault => ({
  name: `RabbitMQ: ${name}`,
  async run({ servers }) {
    await servers?.rabbitmqctl(args);
    if (!back) return;
    await delay(AWAY_MS);
    await servers?.rabbitmqctl(back);
  },
});

const redisCommanded = (name: string, command: readonly string[], back?: readonly string[]): Fault => ({
  name: `Redis: ${name}`,
  async run({ urls }) {
    const redis = new Redis(urls.redis);
    const say = ([command, ...args]: readonly string[]) => redis.call(command as string, ...args);
    try {
      await say(command);
      if (!back) return;
      await delay(AWAY_MS);
      await say(back);
    } finally {
      redis.disconnect();
    }
  },
});

/** As a deployment does it: each replica in turn, told to stop, and started again. Nobody must notice. */
const rollingRestart = (...services: readonly ServiceName[]): Fault => ({
  name: `${services.join(', ')}: rolling restart`,
  unnoticed: true,
  async run(system) {
    for (const { part } of services.flatMap((service) => system.services.of(service))) {
      await part.stop();
      await part.restart();
    }
  },
});

const BEHIND_GATEWAYS = ['keys', 'workitems', 'feedback', 'events'] as const;

/** The faults of each service at once, where one does not hide another. */
export const SERVICES_TOGETHER: readonly Fault[] = [
  rollingRestart(...BEHIND_GATEWAYS),
  killed('one of two of every service', ({ services }) => SERVICES.map((service) => services.of(service)[0]?.part)),
  killed('both workitems', all('workitems')),
  killed('both keys', all('keys')),
  killed('both feedback and both events', (system) => [...all('feedback')(system), ...all('events')(system)]),
];
/** The same one by one. */
export const SERVICES_APART: readonly Fault[] = [
  ...BEHIND_GATEWAYS.map((service) => rollingRestart(service)),
  killed('one of two gateways', one('gateway')),
  killed('one of two workitems', one('workitems')),
  killed('one of two feedback', one('feedback')),
  killed('both feedback', all('feedback')),
  killed('one of two events', one('events')),
  killed('both events', all('events')),
  killed('one of two keys', one('keys')),
];
export const SERVER_FAULTS: readonly Fault[] = [
  killed('RabbitMQ', ({ servers }) => [servers?.rabbitmq.part]),
  killed('Redis', ({ servers }) => [servers?.redis.part]),
  killed('the database', ({ servers }) => [servers?.mongodb.part]),
  commanded('memory alarm', ['set_vm_memory_high_watermark', '0.00001'], ['set_vm_memory_high_watermark', '0.4']),
  poisonedQueue,
];
export const LONE_FREEZE: Fault = frozen('both workitems', all('workitems'));
/** What the short form has no time for: each remaining part, killed, frozen and slow. */
export const OTHERS: readonly Fault[] = [
  killed('both gateways', all('gateway')),
  frozen('one of two gateways', one('gateway')),
  frozen('both gateways', all('gateway')),
  frozen('one of two workitems', one('workitems')),
  frozen('one of two feedback', one('feedback')),
  frozen('both feedback', all('feedback')),
  frozen('one of two events', one('events')),
  frozen('both events', all('events')),
  frozen('one of two keys', one('keys')),
  frozen('both keys', all('keys')),
  frozen('RabbitMQ', ({ servers }) => [servers?.rabbitmq.part]),
  frozen('Redis', ({ servers }) => [servers?.redis.part]),
  frozen('the database', ({ servers }) => [servers?.mongodb.part]),
  slowed('both workitems', all('workitems')),
  slowed('both feedback', all('feedback')),
  slowed('the database', ({ servers }) => [servers?.mongodb.part]),
  commanded('disk alarm', ['set_disk_free_limit', '1000GiB'], ['set_disk_free_limit', '50MiB']),
  commanded('its application stopped', ['stop_app'], ['start_app']),
  commanded('all connections closed', ['close_all_connections', 'by an operator']),
  commanded('the queue of workitems purged', ['purge_queue', 'rpc.workitems']),
  commanded('the queue of workitems deleted', ['delete_queue', 'rpc.workitems']),
  commanded('the queue of feedback deleted', ['delete_queue', 'rpc.feedback']),
  redisCommanded('emptied', ['FLUSHALL']),
  redisCommanded('full', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']),
  redisCommanded('read-only', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']),
];
