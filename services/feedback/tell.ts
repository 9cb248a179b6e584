import { emit, type NewEvent } from '@worktrack/runtime/database/outbox.repository';
import type { TellingScope } from './telling-scope.ts';

/** Tells the log of the organization. Nothing that the public wrote is ever in an event: who may read it asks for the item. */
export function tell({ caller, writes }: TellingScope, event: Omit<NewEvent, 'actor' | 'projectId'>): void {
  const { organizationId, userId = '', keyId = '' } = caller;
  emit({ caller: { organizationId, userId, keyId }, writes }, { ...event, ...(userId === '' && { actor: null }) });
}
