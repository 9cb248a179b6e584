import type { Caller } from '@worktrack/contracts/caller';
import { OperationError } from '@worktrack/contracts/errors';
import type { State } from '@worktrack/runtime/process/service';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Clients } from './clients.ts';

export const CHECK_DEADLINE_MS = 1_000;
export const NO_ANSWER = `No answer within ${CHECK_DEADLINE_MS} ms.`;
/** A query about something that does not exist: the reply proves that the route and the service's database work. */
const NOTHING = '00000000-0000-0000-0000-000000000000';
const NOBODY: Caller = { organizationId: NOTHING, userId: NOTHING, keyId: NOTHING, permissions: ['projects:read'] };

/** Whether each service responds, by name; and how long the latest answer of each took, in milliseconds. */
export interface ServiceChecks {
  readonly checks: Record<keyof Clients, () => Promise<State>>;
  readonly tookMs: ReadonlyMap<string, number | undefined>;
}

export function serviceChecks(clients: Clients): ServiceChecks {
  const checks = plainChecks(clients);
  const tookMs = new Map<string, number | undefined>();
  for (const [service, check] of Object.entries(checks) as [keyof Clients, () => Promise<State>][]) {
    checks[service] = async () => {
      const startedAtMs = performance.now();
      const state = await check();
      tookMs.set(service, state === undefined ? performance.now() - startedAtMs : undefined);
      return state;
    };
  }
  return { checks, tookMs };
}

function plainChecks(clients: Clients): Record<keyof Clients, () => Promise<State>> {
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
    if (error.code === 'DEADLINE_EXCEEDED') return NO_ANSWER;
    if (error.code === 'INTERNAL') return 'It fails; its log says why.';
    return undefined;
  }
}
