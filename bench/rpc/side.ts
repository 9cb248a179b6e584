import type { Answer, Question } from './exchange.ts';

/** One way to call another process. Its two ends run in processes of their own. */
export interface Side {
  /** @returns what `connectTo` needs to find it, if that is not the broker */
  serve(options: {
    readonly url: string;
    readonly respond: (question: Question) => Answer;
  }): Promise<{ readonly address?: number }>;
  connectTo(options: { readonly url: string; readonly address?: number }): Promise<{
    call(question: Question): Promise<Answer>;
  }>;
}

/** What the bench asks a client to do. */
export interface Load {
  readonly inFlight: number;
  readonly durationMs: number;
}

export interface LoadResult {
  readonly calls: number;
  readonly tookMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}
