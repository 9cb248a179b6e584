import { connect } from 'node:net';

const TIMEOUT_MS = 5_000;

/**
 * Checks whether a server on this machine is up.
 * @param question what to send once connected; undefined: a connection is enough
 */
export function probe(
  port: number,
  question?: string | Uint8Array,
  isAnswer?: (data: Buffer) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => (question === undefined ? finish() : socket.write(question)));
    const finish = (error?: Error) => {
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    socket.setTimeout(TIMEOUT_MS, () => finish(new Error('it does not respond')));
    socket.once('error', finish);
    socket.once('close', () => finish(new Error('it closed the connection')));
    socket.once('data', (data) =>
      finish(isAnswer?.(data) ? undefined : new Error(`it answered ${JSON.stringify(data.toString('latin1', 0, 80))}`)),
    );
  });
}
