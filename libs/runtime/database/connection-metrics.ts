import { Gauge } from 'prom-client';
import { registry } from '../process/metrics.ts';

const connections = new Gauge({
  name: 'worktrack_database_connections',
  help: 'Connections of the pool to the database: in use by a command, and awaited by one because all are in use.',
  labelNames: ['state'],
  registers: [registry],
});
const inUse = connections.labels('in-use');
const awaited = connections.labels('awaited');

/** The pool's part of the driver's events (Connection Monitoring and Pooling specification). */
interface PoolEvents {
  on(
    event: 'connectionCheckOutStarted' | 'connectionCheckedOut' | 'connectionCheckOutFailed' | 'connectionCheckedIn',
    listener: () => void,
  ): unknown;
}

/** Once for each client. */
export function countConnections(client: PoolEvents): void {
  inUse.set(0);
  awaited.set(0);
  client.on('connectionCheckOutStarted', () => awaited.inc());
  client.on('connectionCheckOutFailed', () => awaited.dec());
  client.on('connectionCheckedOut', () => {
    awaited.dec();
    inUse.inc();
  });
  client.on('connectionCheckedIn', () => inUse.dec());
}
