import { randomInt } from 'node:crypto';
import type { CaptchaChallenge } from '@worktrack/contracts/feedback/public-api';
import { createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { z } from 'zod';
import { type KeyRing, signingKey, subkeys } from '../process/key-ring.ts';
import type { CaptchaVerifier, Presented } from './verifier.ts';

export const CHALLENGE_LIFETIME_MS = 10 * 60 * 1000;
const ALGORITHM = 'PBKDF2/SHA-256';

/** How much work a solution is: up to ALTCHA_COUNTERS derivations of ALTCHA_COST PBKDF2 iterations each, half of that on average. */
export const altchaSettings = {
  /** 1 000 × 600 is some 0.2 s of one core. */
  ALTCHA_COST: z.coerce.number().int().min(1).max(100_000).default(1_000),
  ALTCHA_COUNTERS: z.coerce.number().int().min(1).max(1_000_000).default(600),
};
export type AltchaSettings = z.output<z.ZodObject<typeof altchaSettings>>;

const Hex = z.string().regex(/^[0-9a-f]{1,256}$/);
/** What a solver sends back. All of `parameters` is signed; the schema rejects anything expensive to examine. */
const Payload = z.object({
  challenge: z.object({
    parameters: z.strictObject({
      algorithm: z.literal(ALGORITHM),
      nonce: Hex,
      salt: Hex,
      cost: z.int(),
      keyLength: z.int(),
      keyPrefix: Hex,
      keySignature: Hex,
      expiresAt: z.number(),
      data: z.strictObject({ keyId: z.string(), sourceId: z.string() }),
    }),
    signature: Hex,
  }),
  solution: z.object({ counter: z.int(), derivedKey: Hex }),
});

/**
 * Proof of work without a third party (altcha, version 2). The counter to find is drawn here and its derived key signed into the
 * challenge, so that a solution takes a bounded time to find and two HMACs to verify.
 */
export class Altcha implements CaptchaVerifier {
  readonly #challengeKeys: KeyRing;
  readonly #solutionKeys: KeyRing;
  readonly #effort: AltchaSettings;

  constructor(ring: KeyRing, effort: AltchaSettings) {
    this.#challengeKeys = subkeys(ring, 'altcha challenge');
    this.#solutionKeys = subkeys(ring, 'altcha solution');
    this.#effort = effort;
  }

  /** @param nowMs for its expiry */
  async challenge(sourceId: string, nowMs = Date.now()): Promise<CaptchaChallenge> {
    const [keyId] = signingKey(this.#challengeKeys);
    const challenge = await createChallenge({
      algorithm: ALGORITHM,
      deriveKey,
      cost: this.#effort.ALTCHA_COST,
      counter: randomInt(this.#effort.ALTCHA_COUNTERS),
      expiresAt: new Date(nowMs + CHALLENGE_LIFETIME_MS),
      data: { keyId, sourceId },
      ...this.#secrets(keyId),
    });
    return { parameters: { ...challenge.parameters }, signature: challenge.signature ?? '' };
  }

  /** Its challenge's signature: other parts of a payload can be written in several ways, but this is unique. */
  solutionId(token: string): string | undefined {
    return readPayload(token)?.challenge.signature;
  }

  async verify({ token, sourceId }: Presented): Promise<boolean> {
    const payload = readPayload(token);
    const { data } = payload?.challenge.parameters ?? {};
    if (!payload || data?.sourceId !== sourceId || !this.#challengeKeys.has(data.keyId)) return false;
    const { verified } = await verifySolution({ ...payload, deriveKey, ...this.#secrets(data.keyId) });
    return verified;
  }

  #secrets(keyId: string) {
    const [challengeKey, solutionKey] = [this.#challengeKeys.get(keyId), this.#solutionKeys.get(keyId)];
    if (!challengeKey || !solutionKey) throw new Error(`There is no key ${keyId}.`);
    return {
      hmacSignatureSecret: challengeKey.export().toString('hex'),
      hmacKeySignatureSecret: solutionKey.export().toString('hex'),
    };
  }
}

function readPayload(token: string): z.infer<typeof Payload> | undefined {
  try {
    return Payload.safeParse(JSON.parse(Buffer.from(token, 'base64').toString())).data;
  } catch {
    return undefined;
  }
}
