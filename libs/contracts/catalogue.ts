import { eventsContract } from './events/contract.ts';
import { feedbackContract } from './feedback/contract.ts';
import { gatewayContract } from './gateway/contract.ts';
import { keysContract } from './keys/contract.ts';
import type { Operation, ServiceContract } from './operation.ts';
import { workItemsContract } from './work-items/contract.ts';

/** Every contract, in the order of the tool list and the reference documentation. */
export const CONTRACTS: readonly ServiceContract[] = [
  workItemsContract,
  feedbackContract,
  gatewayContract,
  keysContract,
  eventsContract,
];

export function allOperations(contracts: readonly ServiceContract[] = CONTRACTS): Operation[] {
  return contracts.flatMap((contract) => Object.values(contract.operations));
}
