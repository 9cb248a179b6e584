import type { Caller } from '@worktrack/contracts/caller';
import { OperationError } from '@worktrack/contracts/errors';
import type { State } from '@worktrack/runtime/process/service';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Clients } from './clients.ts';

const CHECK_DEADLINE_MS = 1_000;
/** A query about something that does not exist: the reply proves that the route and the service's database work. */
const NOTHING = '00000000-0000-0000-0000-000000000000';
const NOBODY: Caller = { organizationId: NOTHING, userId: NOTHING, keyId: NOTHING, permissions: ['projects:read'] };

/** Whether each service responds, by name. */
export function serviceChecks(clients: Clients): Record<keyof Clients, () => Promise<State>> {
  const options = () => ({ requestId: uuidv7(), deadlineMs: CHECK_DEADLINE_MS });
  return {
    keys: () =>
      answers(() => clients.keys.call('identity.verify', { prefix: 'wt_00000000', digest: '0'.repeat(64) }, options())),
    workitems: () =>
      answers(() => clients.workitems.call('projects.get', { id: NOTHING }, { ...options(), caller: NOBODY })),
    feedback: () => answers(() => clients.feedback.call('sources.byPublicKey', { publicKey: 'pk_' }, options())),
    events: () => answers(() => clients.events.call('events.list', {}, { ...options(), caller: NOBODY })),
  };
}

async function answers(ask: () => Promise<unknown>): Promise<State> {
  try {
    await ask();
    return undefined;
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    if (error.code === 'UNAVAILABLE') return error.message;
    if (error.code === 'DEADLINE_EXCEEDED') return `No answer within ${CHECK_DEADLINE_MS} ms.`;
    if (error.code === 'INTERNAL') return 'It fails; its log says why.';
    return undefined;
  }
}
