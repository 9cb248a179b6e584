import type { System } from './system.ts';

export const SERVERS = ['rabbitmq', 'redis', 'mongodb'] as const;

/** Each replica, by its service, and each server that runs here, with its process. */
export function partsOf({
  services,
  servers,
}: Pick<System, 'services' | 'servers'>): (readonly [part: string, pid: number])[] {
  return [
    ...services.replicas.map(({ service, part }) => [service, part.pid] as const),
    ...SERVERS.flatMap((server) => {
      const { part } = servers[server];
      return part ? [[server, part.pid] as const] : [];
    }),
  ];
}
