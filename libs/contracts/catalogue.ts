import { eventsContract } from './events/contract.ts';
import { feedbackContract } from './feedback/contract.ts';
import { gatewayContract } from './gateway/contract.ts';
import { keysContract } from './keys/contract.ts';
import type { Operation, ServiceContract } from './operation.ts';
import { PERMISSIONS, type Permission } from './permissions.ts';
import { workItemsContract } from './work-items/contract.ts';

/** Every contract, in the order of the tool list and the reference documentation. */
export const CONTRACTS: readonly ServiceContract[] = [
  workItemsContract,
  feedbackContract,
  gatewayContract,
  keysContract,
  eventsContract,
];

export function allOperations(): Operation[] {
  return CONTRACTS.flatMap((contract) => Object.values(contract.operations));
}

/** All that a tool may need: what it makes sense to allow an app that has nothing but the tools. */
export function permissionsOfTools(): Permission[] {
  const needed = allOperations().flatMap(({ mcp, permissions }) =>
    mcp && permissions !== 'internal' ? permissions : [],
  );
  return PERMISSIONS.filter((permission) => needed.includes(permission));
}
