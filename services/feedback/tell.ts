import { emit, type NewEvent } from '@worktrack/runtime/database/outbox/outbox.repository';
import type { TellingScope } from './telling-scope.ts';

/** Tells the organization's log. Nothing that the public wrote is ever in an event: anybody who may read it requests the item. */
export function tell({ caller, writes }: TellingScope, event: Omit<NewEvent, 'actor'>): void {
  const { organizationId, userId = '', keyId = '' } = caller;
  emit({ caller: { organizationId, userId, keyId }, writes }, { ...event, ...(userId === '' && { actor: null }) });
}
