import type { KeyObject } from 'node:crypto';
import { OperationError } from '@worktrack/contracts/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientOf } from '../http/client-address.ts';
import { rateHeaders, tooMany } from '../http/rate-headers.ts';
import type { Admissions, RequestKind } from './limits/admission.ts';
import type { RateState } from './limits/rate-window.ts';
import { isOriginAllowed, requestOrigin } from './origin.ts';
import type { KnownSource } from './source-entry.ts';

/** Who is asking, and for which source, once admitted. */
export interface Admitted {
  readonly source: KnownSource;
  readonly rates: readonly RateState[];
  readonly origin: string | null;
  /** Keyed hash of the client's address. */
  readonly client: string;
}

/** The checks that every public endpoint starts with, in this order: rate, source, origin. */
export class Gate {
  readonly #admissions: Admissions;
  readonly #addressSecret: KeyObject;
  readonly #found: (publicKey: string) => void;

  /** @param found is told of each request to a source that there is */
  constructor(admissions: Admissions, addressSecret: KeyObject, found: (publicKey: string) => void = () => {}) {
    this.#admissions = admissions;
    this.#addressSecret = addressSecret;
    this.#found = found;
  }

  /** @throws OperationError RATE_LIMITED, SOURCE_NOT_FOUND, ORIGIN_NOT_ALLOWED */
  async enter(kind: RequestKind, publicKey: string, request: FastifyRequest, reply: FastifyReply): Promise<Admitted> {
    const client = clientOf(request, this.#addressSecret);
    const { source, rates, retryMs } = await this.#admissions.admit(kind, publicKey, client, request.id);
    reply.headers(rateHeaders(rates));
    if (retryMs > 0) throw tooMany('Too many requests.', retryMs);
    if (!source) {
      throw new OperationError(
        'SOURCE_NOT_FOUND',
        'There is no feedback source for this publicKey, or it is disabled. Copy the key from the list of sources.',
      );
    }
    this.#found(publicKey);
    const origin = requestOrigin(request.headers);
    if (!isOriginAllowed(origin, source.allowedOrigins)) throw refused(origin);
    return { source, rates, origin, client };
  }
}

function refused(origin: string | null): OperationError {
  return new OperationError(
    'ORIGIN_NOT_ALLOWED',
    origin === null
      ? 'The request has neither Origin nor Referer, and this source accepts requests only from certain origins. Send the Origin of an allowed domain.'
      : `The origin ${origin} is not one of the allowed domains of this source. Add it, or leave the list empty to allow any.`,
  );
}
