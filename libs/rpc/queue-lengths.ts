import type { ChannelModel } from 'amqplib';
import type { Broker } from './connection.ts';
import { LOG_DEAD_QUEUE, LOG_QUEUE } from './events/topology.ts';
import { laneQueues, lookAtQueue } from './queues.ts';

export interface QueueLength {
  readonly name: string;
  readonly messages: number;
  readonly consumers: number;
}

/** Of the queues of these services and of the log, dead letters included. A queue that does not exist is not in the list; nor is any, without a broker. */
export async function queueLengths(broker: Broker, services: readonly string[]): Promise<readonly QueueLength[]> {
  const { model } = broker.publishing;
  if (!model) return [];
  const ofServices = services.flatMap((service) => {
    const { requests, dead } = laneQueues(service, 'normal', 1);
    return [requests, dead];
  });
  const found = await Promise.all([...ofServices, LOG_QUEUE, LOG_DEAD_QUEUE].map((name) => lengthOf(model, name)));
  return found.filter((length) => length !== undefined);
}

async function lengthOf(model: ChannelModel, name: string): Promise<QueueLength | undefined> {
  const found = await lookAtQueue(model, name).catch(() => 'absent' as const);
  return typeof found === 'object' ? { name, ...found } : undefined;
}

/** Of the broker's software. */
export function brokerVersion(broker: Broker): string | null {
  const { connection } = broker.publishing.model ?? {};
  return connection?.serverProperties.version ?? null;
}
