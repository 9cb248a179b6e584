import type { Socket } from 'node:net';

/**
 * From now on, everything a client library writes to its socket until `schedule` runs its callback is sent with one system call. Without Nagle's
 * algorithm each write would be its own packet, and wake the server.
 * @param schedule for example `process.nextTick` or `setImmediate`: the end of the wait
 */
export function gatherWrites(socket: Socket, schedule: (end: () => void) => void): void {
  const write = socket.write;
  const uncork = () => socket.uncork();
  socket.write = function gathering(...args: Parameters<typeof write>) {
    if (socket.writableCorked === 0) {
      socket.cork();
      schedule(uncork);
    }
    return write.apply(socket, args);
  } as typeof write;
}
