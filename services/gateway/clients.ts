import type { feedbackContract } from '@worktrack/contracts/feedback/contract';
import type { keysContract } from '@worktrack/contracts/keys/contract';
import type { workItemsContract } from '@worktrack/contracts/work-items/contract';
import type { ServiceClient } from '@worktrack/rpc/types';

/** The services that the gateway calls. By the names of their contracts, which are those of their queues. */
export interface Clients {
  readonly keys: ServiceClient<typeof keysContract>;
  readonly workitems: ServiceClient<typeof workItemsContract>;
  readonly feedback: ServiceClient<typeof feedbackContract>;
}
