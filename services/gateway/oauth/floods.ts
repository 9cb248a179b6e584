import type { Flood } from '@worktrack/contracts/keys/trust-tokens';
import { LRUCache } from 'lru-cache';

const MAX_FLOODS = 1_000;
/** Between two JWTs that are let through to see whether a flood is over. */
const LOOK_AGAIN_MS = 1_000;
/** Without another of its JWTs it is over. */
const FORGOTTEN_AFTER_MS = 10_000;

interface Known {
  readonly keyIds: ReadonlySet<string>;
  untilMs: number;
}

/**
 * JWTs with made-up key ids, for rules to which more of them are sent than are noted. The keys service has told which key ids might be accepted, so all others
 * are refused here: anybody can make them up, at any rate, and asking about each would take from all callers what the services and the broker can do. What a
 * rule believes is not changed by it: an issuer is asked for new keys once a minute, flood or not (services/keys/issuers).
 */
export class Floods {
  readonly #now: () => number;
  /** By audience. */
  readonly #known = new LRUCache<string, Known>({ max: MAX_FLOODS });

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @param jwt anybody's text. @returns whether the keys service need not be asked about it */
  isPartOfOne(jwt: string): boolean {
    if (this.#known.size === 0) return false;
    const { audience, keyId } = namedIn(jwt);
    const known = this.#known.get(audience);
    const nowMs = this.#now();
    if (!known || known.keyIds.has(keyId) || nowMs >= known.untilMs + FORGOTTEN_AFTER_MS) return false;
    if (nowMs < known.untilMs) return true;
    // This one is let through; the others wait for what comes of it, or all would be let through at once.
    known.untilMs = nowMs + LOOK_AGAIN_MS;
    return false;
  }

  /** @param flood what the keys service has said of this JWT */
  learn(jwt: string, flood: Flood | undefined): void {
    if (!flood && this.#known.size === 0) return;
    const { audience, keyId } = namedIn(jwt);
    if (flood) this.#known.set(audience, { keyIds: new Set(flood.keyIds), untilMs: this.#now() + flood.forMs });
    else if (!this.#known.get(audience)?.keyIds.has(keyId)) this.#known.delete(audience);
  }
}

/** As the keys service reads it, or what nothing is known of; that it is well-formed is not said. */
function namedIn(jwt: string): { readonly audience: string; readonly keyId: string } {
  try {
    const [header, payload] = jwt.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    return { audience: `${payload.aud}`, keyId: `${header.kid}` };
  } catch {
    return { audience: '', keyId: '' };
  }
}
