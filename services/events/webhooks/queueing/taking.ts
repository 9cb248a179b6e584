import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Due } from '../deliveries/deliveries.repository.ts';
import type { WebhookDocument } from '../webhooks.model.ts';

/** A delivery that has just been made. */
export type Queued = Due & { readonly event: LoggedEvent };

/** A webhook that was idle, as it was taken, and all that there is to send to it, in the order of the log. */
export interface Taken {
  readonly webhook: WebhookDocument;
  readonly queued: readonly Queued[];
}

/** Places for endpoints of one organization, kept until they are used or given back. */
export interface KeptPlaces {
  readonly count: number;
  /** By which they are to be taken. */
  readonly holder: string;
  /** Those that are not needed are free again. */
  use(taken: readonly Taken[]): void;
  /** Nobody knows whether any were taken. */
  doubt(): void;
}

/** What sends to endpoints. */
export interface Sending {
  /** Something is queued that somebody has to look for. */
  wake(): void;
  /** For idle endpoints that are taken in the very transaction that queues something for them. @returns as many as wanted or fewer; undefined: none */
  keepPlaces(organizationId: string, wanted: number): KeptPlaces | undefined;
}
