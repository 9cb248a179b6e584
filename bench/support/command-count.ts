import { type AddressInfo, connect, createServer } from 'node:net';
import mongoose from 'mongoose';

/** Of the wire protocol: length, request id, id of the request answered and kind of message, then flags and the kind of the first section. */
const LENGTH_BYTES = 4;
const OP_CODE_AT = 12;
const OP_MSG = 2013;
const BODY_AT = 21;

/** Counts the commands on their way to the database, by name; it adds a hop, so time is not measured through it. */
export interface CommandCount {
  readonly url: string;
  /** Commands since the last call, by name. */
  take(): ReadonlyMap<string, number>;
  close(): void;
}

/** @param isCounted by name, first argument (usually the collection) and database of the command */
export async function countCommands(
  databaseUrl: string,
  isCounted: (name: string, target: unknown, database: string) => boolean,
): Promise<CommandCount> {
  const target = new URL(databaseUrl);
  let counts = new Map<string, number>();
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    near.setNoDelay(true);
    let pending: Buffer = Buffer.alloc(0);
    near.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= LENGTH_BYTES && pending.length >= pending.readInt32LE(0)) {
        const message = pending.subarray(0, pending.readInt32LE(0));
        pending = pending.subarray(message.length);
        if (message.readInt32LE(OP_CODE_AT) !== OP_MSG) continue;
        const body = message.subarray(BODY_AT, BODY_AT + message.readInt32LE(BODY_AT));
        const command = mongoose.mongo.BSON.deserialize(body);
        const [name, first] = Object.entries(command)[0] ?? ['', undefined];
        if (isCounted(name, first, command.$db)) counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    });
    near.pipe(far);
    far.pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    take() {
      const taken = counts;
      counts = new Map();
      return taken;
    },
    close: () => void server.close(),
  };
}
