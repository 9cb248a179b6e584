import type { ChannelModel } from 'amqplib';
import type { Broker } from './connection.ts';
import { LOG_DEAD_QUEUE, LOG_QUEUE } from './events/topology.ts';
import { laneQueues, lookAtQueue, MAX_GENERATIONS } from './queues.ts';

export interface QueueLength {
  readonly name: string;
  readonly messages: number;
  readonly consumers: number;
}

/**
 * Of the queues of these services and of the log, dead letters included. Of the generations of a service's queue it is the first that is there. A queue that does
 * not exist is not in the list; nor is any, without a broker.
 */
export async function queueLengths(broker: Broker, services: readonly string[]): Promise<readonly QueueLength[]> {
  const { model } = broker.publishing;
  if (!model) return [];
  const ofServices = services.flatMap((service) => {
    const generations = Array.from({ length: MAX_GENERATIONS }, (_, index) => laneQueues(service, 'normal', index + 1));
    return [generations.map(({ requests }) => requests), [laneQueues(service, 'normal', 1).dead]];
  });
  const found = await Promise.all([...ofServices, [LOG_QUEUE], [LOG_DEAD_QUEUE]].map((names) => firstOf(model, names)));
  return found.filter((length) => length !== undefined);
}

async function firstOf(model: ChannelModel, names: readonly string[]): Promise<QueueLength | undefined> {
  for (const name of names) {
    const found = await lookAtQueue(model, name).catch(() => 'absent' as const);
    if (typeof found === 'object') return { name, ...found };
  }
  return undefined;
}

/** Of the broker's software. */
export function brokerVersion(broker: Broker): string | null {
  const { connection } = broker.publishing.model ?? {};
  return connection?.serverProperties.version ?? null;
}
