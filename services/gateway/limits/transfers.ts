import type { Identity } from '@worktrack/contracts/keys/identity';
import type { FastifyRequest } from 'fastify';
import { keyOf, whenClosed } from './call-places.ts';
import { FairShare, type Slot } from './fair-share.ts';

const PER_ORGANIZATION = 16;
const PER_KEY = 8;
/** As many as one replica of a service takes (libs/rpc/server/stream-server.ts). */
const AT_ONCE = 64;

/** Uploads and downloads in progress. They last as long as the client likes, within limits (pace.ts), so calls do not share their places. */
export class Transfers {
  readonly #share = new FairShare({
    perOrganization: PER_ORGANIZATION,
    perKey: PER_KEY,
    besideOthers: PER_ORGANIZATION,
    atOnce: AT_ONCE,
  });

  /** @throws OperationError RATE_LIMITED */
  takePlace(identity: Identity, { raw }: FastifyRequest): Promise<Slot> {
    return this.#share.enter(identity.organization.id, keyOf(identity), 0, whenClosed(raw.socket));
  }
}
