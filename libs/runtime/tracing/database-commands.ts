import { createRequire } from 'node:module';
import type { Span } from './types.ts';

type Command = (
  ns: { readonly db: string },
  command: Readonly<Record<string, unknown>>,
  ...rest: unknown[]
) => Promise<unknown>;

/**
 * Each command of the database's driver that belongs to a call becomes a span of it, with the action and the collection but none of the data. It wraps the
 * driver's own method, as OpenTelemetry's instrumentation does. The driver's events of commands would parse each answer once more, which cost 6 % of the CPU of
 * a list (bench/tracing.bench.ts).
 */
export function watchCommands(current: () => Span | undefined): void {
  const ofMongoose = createRequire(createRequire(import.meta.url).resolve('mongoose'));
  const { Connection } = ofMongoose('mongodb/lib/cmap/connection') as {
    Connection: { prototype: { command: Command } };
  };
  const { command: send } = Connection.prototype;
  Connection.prototype.command = function (this: unknown, ns, command, ...rest) {
    const sent = () => send.call(this, ns, command, ...rest);
    const parent = current();
    return parent ? within(parent, ns.db, command, sent) : sent();
  };
}

async function within(
  parent: Span,
  database: string,
  command: Readonly<Record<string, unknown>>,
  send: () => Promise<unknown>,
): Promise<unknown> {
  const operation = nameOf(command);
  const target = command[operation];
  const collection = typeof target === 'string' ? target : command.collection;
  const span = parent.child(
    'client',
    typeof collection === 'string' ? `${operation} ${collection}` : operation,
    () => ({
      'db.system.name': 'mongodb',
      'db.namespace': database,
      'db.operation.name': operation,
      ...(typeof collection === 'string' && { 'db.collection.name': collection }),
    }),
  );
  try {
    const answer = await send();
    span.end({}, false);
    return answer;
  } catch (error) {
    // A conflict between two writes is an everyday thing: whether something went wrong, the call knows.
    span.end({ 'error.type': error instanceof Error ? error.name : 'unknown' }, false);
    throw error;
  }
}

/** Its first field. */
function nameOf(command: object): string {
  for (const name in command) return name;
  return '';
}
