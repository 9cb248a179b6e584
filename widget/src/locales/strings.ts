import type { Category } from '@worktrack/contracts/feedback/records';

/** Everything that a person reads. `{…}` is filled in. */
export interface Strings {
  readonly launcher: string;
  readonly title: string;
  readonly intro: string;
  readonly close: string;
  readonly category: string;
  readonly categories: Readonly<Record<Category, string>>;
  readonly message: string;
  /** What to write about, in the empty field. */
  readonly hints: Readonly<Record<Category, string>>;
  readonly email: string;
  readonly optional: string;
  readonly emailHelp: string;
  readonly privacy: string;
  readonly send: string;
  readonly sending: string;
  readonly checking: string;
  readonly retrying: string;
  readonly retry: string;
  readonly captcha: string;
  readonly charactersLeft: { readonly one: string; readonly other: string };
  readonly charactersTooMany: { readonly one: string; readonly other: string };
  readonly sent: string;
  readonly sentText: string;
  /** For messages in the queue. */
  readonly waiting: { readonly one: string; readonly other: string };
  readonly again: string;
  readonly kept: string;
  readonly failures: {
    readonly messageMissing: string;
    readonly emailInvalid: string;
    readonly rejected: string;
    readonly captcha: string;
    readonly origin: string;
    readonly source: string;
    readonly duplicate: string;
    /** `{time}` is a relative time such as “in 42 seconds”. */
    readonly rateLimited: string;
    readonly tooLarge: string;
    readonly unavailable: string;
    readonly network: string;
  };
}
