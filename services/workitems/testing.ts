import { once } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Caller } from '@worktrack/contracts/caller';
import { type ErrorValue, OperationError } from '@worktrack/contracts/errors';
import type { Operation, Output, RawInput } from '@worktrack/contracts/operation';
import { PERMISSIONS } from '@worktrack/contracts/permissions';
import { workItemsContract } from '@worktrack/contracts/work-items/contract';
import type { ItemType } from '@worktrack/contracts/work-items/work-item';
import { connectDatabase, disconnectDatabase } from '@worktrack/runtime/database/connection';
import { transaction } from '@worktrack/runtime/database/transaction';
import { flush } from '@worktrack/runtime/database/writes/flush';
import { WriteSet } from '@worktrack/runtime/database/writes/write-set';
import { createLog } from '@worktrack/runtime/process/logging';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { contextOf } from '../../test/support/handled-call.ts';
import type { WriteScope } from './calls/scope.ts';
import { dependenciesOf } from './dependencies/dependencies.ts';
import { handlers } from './handlers.ts';
import { foundBy } from './items/found-by.ts';
import { ItemModel } from './items/items.model.ts';

type Operations = (typeof workItemsContract)['operations'];
type Name = keyof Operations;

const DEADLINE_MS = 30_000;
const log = createLog('test', 'silent');
const table = handlers(undefined);

/** The workitems service without its queue: its handlers, called as libs/rpc calls them, on a real database. */
export const startWorkItems = (): Promise<void> => startWorkItemsWith({});

/** @param driverOptions as in a connection string */
export async function startWorkItemsWith(driverOptions: Readonly<Record<string, string>>): Promise<void> {
  const { url: servers, database } = await databaseOfTest();
  const url = new URL(servers);
  for (const [option, value] of Object.entries(driverOptions)) url.searchParams.set(option, value);
  await connectDatabase({ url: url.href, database, log });
}

async function databaseOfTest(): Promise<{ readonly url: string; readonly database: string }> {
  // Here rather than above: a replica loads this module too, outside the test runner.
  const { servers } = await import('../../test/support/servers.ts');
  const { mongodbUrl, databasePrefix } = await servers();
  return { url: mongodbUrl, database: `${databasePrefix}_workitems` };
}

export const stopWorkItems = disconnectDatabase;

export type CallService = <N extends Name>(
  caller: Caller,
  name: N,
  input: RawInput<Operations[N]>,
  idempotencyKey?: string,
) => Promise<Output<Operations[N]>>;

/**
 * Several replicas of the service on this test's database: threads with their own modules, and so their own turns and slots. Only the database
 * keeps them consistent. Each call goes to the next one.
 */
export async function startReplicas(count: number): Promise<{ readonly call: CallService; stop(): Promise<void> }> {
  const workerData = await databaseOfTest();
  const replicas = Array.from(
    { length: count },
    () => new Worker(new URL('testing-replica.ts', import.meta.url), { workerData }),
  );
  await Promise.all(replicas.map((replica) => once(replica, 'message')));
  let calls = 0;
  return {
    async call(caller, name, input) {
      const { port1, port2 } = new MessageChannel();
      replicas[calls++ % count]?.postMessage({ caller, name, input, answerTo: port2 } satisfies ReplicaCall, [port2]);
      const [answer] = (await once(port1, 'message')) as [ReplicaAnswer];
      port1.close();
      if ('error' in answer) throw OperationError.from(answer.error);
      return answer.output as never;
    },
    async stop() {
      await Promise.all(replicas.map((replica) => replica.terminate()));
    },
  };
}
export interface ReplicaCall {
  readonly caller: Caller;
  readonly name: Name;
  readonly input: RawInput<Operations[Name]>;
  readonly answerTo: MessagePort;
}
export type ReplicaAnswer = { readonly output: unknown } | { readonly error: ErrorValue };

export const call: CallService = async (caller, name, input, idempotencyKey) => {
  const handler = table[name];
  if ('many' in handler) {
    const [answer] = await callTogether(caller, name, [input]);
    if (answer instanceof OperationError) throw answer;
    return answer as never;
  }
  if (!('one' in handler)) throw new Error(`${name} is not called alone.`);
  const operation: Operation = workItemsContract.operations[name];
  const { output } = await handler.one(parsed(operation, input), contextOf(caller, { idempotencyKey }) as never);
  return operation.output.parse(output) as never;
};

/** Calls that arrive in one message. @returns what each of them answers, or is refused with */
export async function callTogether<N extends Name>(
  caller: Caller,
  name: N,
  inputs: readonly RawInput<Operations[N]>[],
): Promise<(Output<Operations[N]> | OperationError)[]> {
  const operation: Operation = workItemsContract.operations[name];
  const handler = table[name];
  if (!('many' in handler)) throw new Error(`${name} is called alone.`);
  const calls = inputs.map((input) => ({ input: parsed(operation, input), context: contextOf(caller) as never }));
  const settled = await handler.many(calls);
  return settled.map((each) =>
    'error' in each ? OperationError.from(each.error) : (operation.output.parse(each.output) as never),
  );
}

/** Twice, like the gateway and the service. */
function parsed(operation: Operation, input: unknown): never {
  return operation.input.parse(operation.input.parse(input)) as never;
}

export function newCaller(): Caller {
  return { organizationId: uuidv7(), userId: uuidv7(), keyId: uuidv7(), permissions: PERMISSIONS };
}

/** A new organization with one project, and a caller whose MCP session is in that project. */
export async function startProject(name = 'Worktrack', organization = newCaller(), via: CallService = call) {
  const project = await via(organization, 'projects.create', { name });
  const board = await via(organization, 'boards.get', { id: project.defaultBoardId });
  const caller: Caller = { ...organization, sessionProjectId: project.id };

  function column(columnName: string): string {
    const found = board.columns.find((each) => each.name === columnName);
    if (!found) throw new Error(`The board has no column ${columnName}.`);
    return found.id;
  }

  return {
    organization,
    caller,
    project,
    board,
    column,
    create(type: ItemType, fields: Partial<RawInput<Operations['workItems.create']>> & { column?: string } = {}) {
      const { column: columnName = 'Backlog', ...rest } = fields;
      const where = { boardId: board.id, boardColumnId: column(columnName) };
      return via(caller, 'workItems.create', { title: `A ${type}`, type, ...where, ...rest });
    },
    get: (id: string) => via(caller, 'workItems.get', { id }),
    move(workItemId: string, to: string, options: Partial<RawInput<Operations['workItems.move']>> = {}) {
      return via(caller, 'workItems.move', { workItemId, boardColumnId: column(to), ...options });
    },
    update(id: string, fields: Omit<RawInput<Operations['workItems.update']>, 'id'>) {
      return via(caller, 'workItems.update', { id, ...fields });
    },
    async history(workItemId: string) {
      return (await via(caller, 'workItems.events', { workItemId, limit: 200 })).events;
    },
    /** Titles in column order. */
    async titlesIn(columnName: string): Promise<string[]> {
      const { workItems } = await via(caller, 'workItems.list', { boardColumnId: column(columnName), limit: 100 });
      return workItems.map(({ title }) => title);
    },
  };
}
export type TestProject = Awaited<ReturnType<typeof startProject>>;

/** What one write of a rule would store, without the rule. */
export async function store(organizationId: string, write: (scope: WriteScope) => void): Promise<void> {
  const writes = new WriteSet();
  write({ caller: { ...newCaller(), organizationId }, writes });
  await transaction(Date.now() + DEADLINE_MS, async (tx) => {
    const blame = await flush(tx, [writes]);
    for (const error of blame.values()) throw error;
  });
}

/** What an earlier version stored unchecked: missing dependencies, cycles, ideas that are not ideas. */
export async function storeUnchecked(
  itemId: string,
  named: { readonly dependsOn?: unknown; readonly ideaId?: unknown },
) {
  const waitsFor = dependenciesOf(named);
  await ItemModel.updateOne(
    { _id: itemId },
    {
      $set: {
        ...Object.fromEntries(Object.entries(named).map(([key, value]) => [`metadata.${key}`, value])),
        ...(waitsFor.length > 0 && { dependsOn: waitsFor, waitsFor, claimOrder: null, claimableFrom: null }),
      },
    },
  );
}

/** Many more like an item, without the calls for them, which would take minutes. Its board does not count them. */
export async function storeCopies(itemId: string, count: number): Promise<void> {
  const stored = await ItemModel.findById(itemId).orFail().lean();
  const copies = Array.from({ length: count }, (_, index) => {
    const named = { _id: uuidv7(), taskId: `${stored.taskId}${String(index).padStart(5, '0')}` };
    return { ...stored, ...named, foundBy: foundBy(named, null) };
  });
  await ItemModel.insertMany(copies, { lean: true });
}

/** The thrown error as a value; fails if nothing is thrown. */
export async function failure(promise: Promise<unknown>): Promise<OperationError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof OperationError) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}
