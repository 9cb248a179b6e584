import type { Caller } from '@worktrack/contracts/caller';
import { type ErrorCode, type ErrorExtra, OperationError } from '@worktrack/contracts/errors';
import type { Operation, Output, RawInput } from '@worktrack/contracts/operation';
import { PERMISSIONS } from '@worktrack/contracts/permissions';
import { workItemsContract } from '@worktrack/contracts/work-items/contract';
import type { ItemType } from '@worktrack/contracts/work-items/work-item';
import type { CallContext } from '@worktrack/rpc/types';
import { connectDatabase, disconnectDatabase } from '@worktrack/runtime/database';
import { createLog } from '@worktrack/runtime/logging';
import { uuidv7 } from '@worktrack/runtime/uuid';
import { servers } from '../../test/support/servers.ts';
import { handlers } from './handlers.ts';

type Operations = (typeof workItemsContract)['operations'];
type Name = keyof Operations;

const DEADLINE_MS = 30_000;
const table = handlers(undefined);

/** The workitems service without its queue: its handlers, called as libs/rpc calls them, on a real database. */
export async function startWorkItems(): Promise<void> {
  const { mongodbUrl, databasePrefix } = await servers();
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_workitems`, log: createLog('test', 'silent') });
}

export const stopWorkItems = disconnectDatabase;

export async function call<N extends Name>(
  caller: Caller,
  name: N,
  input: RawInput<Operations[N]>,
): Promise<Output<Operations[N]>> {
  const operation: Operation = workItemsContract.operations[name];
  const context = {
    caller,
    requestId: uuidv7(),
    idempotencyKey: uuidv7(),
    deadlineAtMs: Date.now() + DEADLINE_MS,
    traceparent: undefined,
    log: createLog('test', 'silent'),
    fail: (code: ErrorCode, message: string, extra?: ErrorExtra) => new OperationError(code, message, extra),
  } as CallContext<ErrorCode>;
  const handler = table[name];
  if (!('one' in handler)) throw new Error(`${name} is not called alone.`);
  // Twice, as the gateway and the service do.
  const parsed = operation.input.parse(operation.input.parse(input)) as never;
  const { output } = await handler.one(parsed, context as never);
  return operation.output.parse(output) as Output<Operations[N]>;
}

export function newCaller(): Caller {
  return { organizationId: uuidv7(), userId: uuidv7(), keyId: uuidv7(), permissions: PERMISSIONS };
}

/** A new organization with one project, and a caller whose MCP session is in that project. */
export async function startProject(name = 'Worktrack', organization = newCaller()) {
  const project = await call(organization, 'projects.create', { name });
  const board = await call(organization, 'boards.get', { id: project.defaultBoardId });
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
      return call(caller, 'workItems.create', { title: `A ${type}`, type, ...where, ...rest });
    },
    get: (id: string) => call(caller, 'workItems.get', { id }),
    move(workItemId: string, to: string, options: Partial<RawInput<Operations['workItems.move']>> = {}) {
      return call(caller, 'workItems.move', { workItemId, boardColumnId: column(to), ...options });
    },
    update(id: string, fields: Omit<RawInput<Operations['workItems.update']>, 'id'>) {
      return call(caller, 'workItems.update', { id, ...fields });
    },
    async history(workItemId: string) {
      return (await call(caller, 'workItems.events', { workItemId, limit: 200 })).events;
    },
    /** Titles in the order of the column. */
    async titlesIn(columnName: string): Promise<string[]> {
      const { workItems } = await call(caller, 'workItems.list', { boardColumnId: column(columnName), limit: 100 });
      return workItems.map(({ title }) => title);
    },
  };
}
export type TestProject = Awaited<ReturnType<typeof startProject>>;

/** What is thrown, as a value; fails when nothing is. */
export async function failure(promise: Promise<unknown>): Promise<OperationError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof OperationError) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}
