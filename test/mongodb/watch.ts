import mongoose from 'mongoose';
import { asSent } from './as-sent.ts';
import { collectionOf, type Document, nameOf } from './guard/command.ts';
import { Guard } from './guard/guard.ts';
import { note, VIOLATIONS_FILE } from './violations-file.ts';

const SHARD_KEY = 'organizationId';

let isWatched = false;

/** By collection: mongoose goes through the whole schema for its indexes, and each write asks. */
const shardKeys = new Map<string, string | undefined>();

/**
 * Makes this process refuse what MongoDB would refuse, before it is sent, and fail the test run, whatever the process makes of the refusal.
 * For processes of a test run that use the database through mongoose's default connection (servers.ts, watched-service.ts); nothing else loads it.
 * @param who is named along with what was refused
 */
export function watchDatabase(who: () => string): void {
  const file = process.env[VIOLATIONS_FILE];
  if (file === undefined || isWatched) return;
  isWatched = true;
  const connect = mongoose.connect.bind(mongoose);
  mongoose.connect = (url, options) => connect(url, { ...options, monitorCommands: true });
  const guard = new Guard(shardKeyOf);
  const { connection } = mongoose;
  connection.on('commandStarted', ({ requestId, command: given }: mongoose.mongo.CommandStartedEvent) => {
    const { command, ...size } = asSent(given);
    const refused = guard.started(requestId, command, size);
    const [first] = refused;
    if (!first) return;
    const what = `${nameOf(command)} ${collectionOf(command)}`.trimEnd();
    for (const violation of refused) note(file, { ...violation, command: what, who: who() });
    guard.ended(requestId, undefined);
    throw new Error(`MongoDB refuses this: ${first.rule} (${first.page})`);
  });
  connection.on('commandSucceeded', ({ requestId, reply }: mongoose.mongo.CommandSucceededEvent) =>
    guard.ended(requestId, reply),
  );
  connection.on('commandFailed', ({ requestId }: mongoose.mongo.CommandFailedEvent) =>
    guard.ended(requestId, undefined),
  );
}

/** What every query names can be the shard key of a collection: then all of its indexes begin with it. */
function shardKeyOf(collection: string): string | undefined {
  if (shardKeys.has(collection)) return shardKeys.get(collection);
  const model = Object.values(mongoose.models).find((each) => each.collection.name === collection);
  if (!model) return undefined;
  const indexes = model.schema.indexes();
  const isSharded = indexes.length > 0 && indexes.every(([keys]) => Object.keys(keys)[0] === SHARD_KEY);
  const key = isSharded ? SHARD_KEY : undefined;
  shardKeys.set(collection, key);
  return key;
}

/** Each command that this process sends over mongoose's default connection, for which `watchDatabase` must have turned on monitoring. */
export function watchCommands(look: (command: Document) => void): void {
  mongoose.connection.on('commandStarted', ({ command }: mongoose.mongo.CommandStartedEvent) =>
    look(asSent(command).command),
  );
}
