import { MAX_TRIES } from '@worktrack/contracts/keys/trust-rules';
import type { Log } from '@worktrack/rpc/types';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { LRUCache } from 'lru-cache';
import type { Try } from '../trust-rules/tries.model.ts';
import { storeTries } from '../trust-rules/tries.repository.ts';
import type { TrustRuleDocument } from '../trust-rules/trust-rules.model.ts';
import type { Mismatch } from './checks.ts';

/** Why a JWT that names a rule was refused; `isSigned`: by its issuer, so that it is no stranger's invention. */
export interface Refusal {
  readonly mismatches: readonly Mismatch[];
  readonly isSigned: boolean;
}

/** Per rule and kind: anybody can have JWTs refused, at any rate, and each would be stored. */
const AT_ONCE = 200;
const REGAINED_PER_SECOND = 1;
const MAX_RULES = 10_000;

/** Tries that wait for the write that is under way to end, to be stored together by the next. */
interface Gathered {
  readonly tries: Try[];
  readonly stored: Promise<void>;
}

/**
 * Keeps why JWTs were refused, for those who may read their rule.
 *
 * Tries of one kind are stored in one document of their rule, so writes of them wait for each other. Of 200 refusals at once, most met their deadline (504). So
 * one write at a time takes all that have come meanwhile, and each refusal waits for two writes at most, whatever their number.
 */
export class Refusals {
  readonly #log: Log;
  readonly #room = new LRUCache<string, { left: number; atMs: number }>({ max: MAX_RULES });
  /** Both by rule and kind: the last write that was asked for, and the one that has not begun. */
  readonly #writes = new Map<string, Promise<void>>();
  readonly #gathered = new Map<string, Gathered>();

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Resolves once the refusal is stored, and only then it is answered. So it is there when somebody asks why the job got no token, and it is not lost when the
   * process stops. This also bounds what waits here, by the calls in progress. Never rejects: the refusal stands, whether or not it could be noted.
   * @returns for how long (ms) no other of its kind would be noted, since too many came
   */
  async note(rule: TrustRuleDocument, { mismatches, isSigned }: Refusal): Promise<number> {
    const name = `${rule._id} ${isSigned}`;
    const { hasRoom, closedMs } = this.#take(name);
    const refused = { id: uuidv7(), at: new Date(), mismatches: [...mismatches] };
    if (hasRoom) await this.#store(name, rule, refused, isSigned);
    return closedMs;
  }

  #store(name: string, rule: TrustRuleDocument, refused: Try, isSigned: boolean): Promise<void> {
    const gathered = this.#gathered.get(name);
    if (gathered) {
      gathered.tries.push(refused);
      if (gathered.tries.length > MAX_TRIES) gathered.tries.shift();
      return gathered.stored;
    }
    const tries = [refused];
    const stored = this.#write(name, rule, tries, isSigned).finally(() => {
      if (this.#writes.get(name) === stored) this.#writes.delete(name);
    });
    this.#writes.set(name, stored);
    this.#gathered.set(name, { tries, stored });
    return stored;
  }

  /** @param tries more are added until the write before has ended */
  async #write(name: string, rule: TrustRuleDocument, tries: readonly Try[], isSigned: boolean): Promise<void> {
    await this.#writes.get(name);
    this.#gathered.delete(name);
    try {
      await storeTries(rule, tries, isSigned);
    } catch (error) {
      this.#log.warn({ error, ruleId: rule._id }, 'Refused tries could not be noted');
    }
  }

  #take(name: string): { readonly hasRoom: boolean; readonly closedMs: number } {
    const atMs = performance.now();
    const before = this.#room.get(name) ?? { left: AT_ONCE, atMs };
    const regained = Math.min(AT_ONCE, before.left + ((atMs - before.atMs) / 1_000) * REGAINED_PER_SECOND);
    const hasRoom = regained >= 1;
    const left = hasRoom ? regained - 1 : regained;
    this.#room.set(name, { left, atMs });
    return { hasRoom, closedMs: Math.max(0, ((1 - left) / REGAINED_PER_SECOND) * 1_000) };
  }
}
