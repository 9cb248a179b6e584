import type { Submission } from './service.ts';

/**
 * A submission in progress: retries use the same key, even after a reload, so that one whose response was lost is not stored twice.
 */
export interface Attempt {
  readonly key: string;
  /** What was submitted: different content means a different submission. */
  readonly of: string;
  /** Some attempt got no response, so the service may have it. */
  readonly uncertain: boolean;
}

/** Where the attempts at a submission are kept. */
export interface Attempts {
  readonly attempt: Attempt | undefined;
  keep(attempt: Attempt | undefined): void;
}

/** The attempt before at the same submission, or else a new one. */
export function attemptAt(submission: Submission, { attempt }: Attempts): Attempt {
  const of = JSON.stringify(submission);
  return attempt?.of === of ? attempt : { key: randomKey(), of, uncertain: false };
}

/** `crypto.randomUUID` exists on https only. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
