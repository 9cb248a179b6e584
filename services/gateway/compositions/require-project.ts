import { OperationError } from '@worktrack/contracts/errors';
import type { CallOptions } from '@worktrack/rpc/types';
import type { Clients } from '../clients.ts';

/**
 * The project that an input names, if any, must exist. For services that store the id of a project but have none themselves, such as webhooks: events of a
 * mistyped project would never come, and nothing would say why.
 */
export async function requireProject(
  input: unknown,
  { workitems }: Pick<Clients, 'workitems'>,
  { idempotencyKey: _, ...reading }: CallOptions,
): Promise<void> {
  const { projectId } = input as { readonly projectId?: string | null };
  if (!projectId) return;
  try {
    await workitems.call('projects.get', { id: projectId }, reading);
  } catch (error) {
    if (!(error instanceof OperationError && error.code === 'NOT_FOUND')) throw error;
    const message = 'must be a project of your organization. GET /api/projects lists them';
    throw new OperationError('VALIDATION_FAILED', `projectId ${message}.`, {
      details: [{ path: 'projectId', message }],
    });
  }
}
