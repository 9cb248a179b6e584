import type { eventsContract } from '@worktrack/contracts/events/contract';
import type { feedbackContract } from '@worktrack/contracts/feedback/contract';
import type { keysContract } from '@worktrack/contracts/keys/contract';
import type { workItemsContract } from '@worktrack/contracts/work-items/contract';
import type { ServiceClient } from '@worktrack/rpc/types';

/** The services that the gateway calls, by the names of their contracts, which are also those of their queues. */
export interface Clients {
  readonly keys: ServiceClient<typeof keysContract>;
  readonly workitems: ServiceClient<typeof workItemsContract>;
  readonly feedback: ServiceClient<typeof feedbackContract>;
  readonly events: ServiceClient<typeof eventsContract>;
}
