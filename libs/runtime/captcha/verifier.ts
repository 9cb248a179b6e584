import type { Log } from '@worktrack/rpc/types';

/** A captcha solution as presented, and what it must have been made for. */
export interface Presented {
  readonly token: string;
  readonly sourceId: string;
  /** The origin of the request, or null for a caller without one. */
  readonly origin: string | null;
  readonly deadlineAtMs: number;
  readonly log: Log;
}

export interface CaptchaVerifier {
  /** Identifies a solution however it is written, so that it is accepted only once; undefined for anything else. */
  solutionId(token: string): string | undefined;
  /** @throws OperationError UNAVAILABLE if that cannot be determined: never a pass */
  verify(presented: Presented): Promise<boolean>;
}
