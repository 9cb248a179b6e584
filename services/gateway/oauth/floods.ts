import { type Flood, keyMarkOf } from '@worktrack/contracts/keys/trust-tokens';
import { LRUCache } from 'lru-cache';

const MAX_FLOODS = 1_000;
/** Between two JWTs that are let through to see whether a flood is over. */
const LOOK_AGAIN_MS = 1_000;
/** Without another of its JWTs it is over. */
const FORGOTTEN_AFTER_MS = 10_000;

/** What comes of all of its JWTs. */
type Outcome = 'refused' | 'unavailable';

interface Known {
  readonly outcome: Outcome;
  readonly keyMarks: ReadonlySet<string>;
  untilMs: number;
}

/**
 * Refuses JWTs with made-up key ids for two kinds of rules: those that get more of them than are noted, and those whose issuer does not answer. The keys
 * service has told which key ids might be accepted, so all others are refused here. Anybody can make them up, at any rate, and asking about each would use
 * capacity of the services and the broker at the cost of all callers. What a rule believes is not changed by it: an issuer is asked for new keys once a minute,
 * flood or not (services/keys/issuers).
 */
export class Floods {
  readonly #now: () => number;
  /** By audience. */
  readonly #known = new LRUCache<string, Known>({ max: MAX_FLOODS });

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @param jwt anybody's text. @returns what comes of it, if the keys service need not be asked */
  outcomeOf(jwt: string): Outcome | undefined {
    if (this.#known.size === 0) return undefined;
    const { audience, keyMark } = namedIn(jwt);
    const known = this.#known.get(audience);
    const nowMs = this.#now();
    if (!known || known.keyMarks.has(keyMark) || nowMs >= known.untilMs + FORGOTTEN_AFTER_MS) return undefined;
    if (nowMs < known.untilMs) return known.outcome;
    // This one is let through. The others wait for its outcome, or all would be let through at once.
    known.untilMs = nowMs + LOOK_AGAIN_MS;
    return undefined;
  }

  /** @param flood what the keys service has said of this JWT */
  learn(jwt: string, flood: (Flood & { readonly outcome: Outcome }) | undefined): void {
    if (!flood && this.#known.size === 0) return;
    const { audience, keyMark } = namedIn(jwt);
    if (flood) {
      const { outcome, keyMarks, forMs } = flood;
      this.#known.set(audience, { outcome, keyMarks: new Set(keyMarks), untilMs: this.#now() + forMs });
    } else if (!this.#known.get(audience)?.keyMarks.has(keyMark)) this.#known.delete(audience);
  }
}

/** As the keys service reads it, or what nothing is known of; that it is well-formed is not said. */
function namedIn(jwt: string): { readonly audience: string; readonly keyMark: string } {
  try {
    const [header, payload] = jwt.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    return { audience: `${payload.aud}`, keyMark: keyMarkOf(`${header.kid}`) };
  } catch {
    return { audience: '', keyMark: '' };
  }
}
