import type { Log } from '@worktrack/rpc/types';
import { LRUCache } from 'lru-cache';
import { storeTry } from '../trust-rules/tries.repository.ts';
import type { TrustRuleDocument } from '../trust-rules/trust-rules.model.ts';
import type { Mismatch } from './checks.ts';

/** Why a JWT that names a rule was refused; `isSigned`: by its issuer, so that it is no stranger's invention. */
export interface Refusal {
  readonly mismatches: readonly Mismatch[];
  readonly isSigned: boolean;
}

/** Per rule and kind: anybody can have JWTs refused, at any rate, and each would be a write. */
const AT_ONCE = 200;
const REGAINED_PER_SECOND = 1;
const MAX_RULES = 10_000;

/** Keeps why JWTs were refused, for those who may read their rule. */
export class Refusals {
  readonly #log: Log;
  readonly #room = new LRUCache<string, { left: number; atMs: number }>({ max: MAX_RULES });

  constructor(log: Log) {
    this.#log = log;
  }

  /** Never throws: the refusal stands, whether or not it could be noted. */
  async note(rule: TrustRuleDocument, { mismatches, isSigned }: Refusal): Promise<void> {
    if (!this.#hasRoom(`${rule._id} ${isSigned}`)) return;
    try {
      await storeTry(rule, { at: new Date(), mismatches: [...mismatches] }, isSigned);
    } catch (error) {
      this.#log.warn({ error, ruleId: rule._id }, 'A refused try could not be noted');
    }
  }

  #hasRoom(name: string): boolean {
    const atMs = performance.now();
    const before = this.#room.get(name) ?? { left: AT_ONCE, atMs };
    const left = Math.min(AT_ONCE, before.left + ((atMs - before.atMs) / 1_000) * REGAINED_PER_SECOND);
    this.#room.set(name, { left: left < 1 ? left : left - 1, atMs });
    return left >= 1;
  }
}
