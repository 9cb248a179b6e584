import type { Operation } from '@worktrack/contracts/operation';
import { FairShare, type Slot } from './fair-share.ts';

/** Half of the long calls that one replica of a service works on (DEFAULT_PREFETCH in libs/rpc/server.ts). */
const PER_ORGANIZATION = 4;
/** These calls take long themselves, so they also wait longer for their turn than others. */
const MAX_WAIT_MS = 60_000;

/**
 * Calls of the lane `long` wait for somebody else's server, in few slots of a service and in one line. So that no organization takes them all,
 * each has a share for each operation in every gateway; further calls wait here.
 */
export class LongCalls {
  readonly #share = new FairShare({
    perOrganization: Number.POSITIVE_INFINITY,
    perKey: PER_ORGANIZATION,
    besideOthers: Number.POSITIVE_INFINITY,
    atOnce: Number.POSITIVE_INFINITY,
    maxWaitMs: MAX_WAIT_MS,
  });

  /**
   * @param gone aborted when nobody waits for the call any more
   * @throws OperationError RATE_LIMITED
   */
  takeSlot(operation: Operation, organizationId: string, gone: AbortSignal | undefined): Promise<Slot> {
    return this.#share.enter(organizationId, operation.name, 0, (abandon) => {
      gone?.addEventListener('abort', abandon);
      return () => gone?.removeEventListener('abort', abandon);
    });
  }
}
