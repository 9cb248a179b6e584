import { OperationError } from '@worktrack/contracts/errors';
import type { CallOptions } from '@worktrack/rpc/types';
import { invalid } from '@worktrack/runtime/validation/parse';
import type { Clients } from '../clients.ts';

/**
 * The projects that an input names, if any, must exist for the caller. This serves services that store ids of projects but have no projects themselves. With a
 * mistyped project, a webhook would get no events, a limited key would find nothing, and nothing would say why.
 */
export async function requireProjects(
  input: unknown,
  { workitems }: Pick<Clients, 'workitems'>,
  { idempotencyKey: _, caller, ...reading }: CallOptions,
): Promise<void> {
  // The gateway's own query, from which the caller learns only that the project exists: naming one needs no permission on projects.
  const asker = caller && { ...caller, permissions: ['projects:read' as const] };
  const { projectId, projects } = input as {
    readonly projectId?: string | null;
    readonly projects?: readonly string[] | null;
  };
  const named = [...(projectId ? [['projectId', projectId]] : []), ...(projects ?? []).map((id) => ['projects', id])];
  await Promise.all(
    named.map(async ([path = '', id = '']) => {
      try {
        await workitems.call('projects.get', { id }, { ...reading, caller: asker });
      } catch (error) {
        if (!(error instanceof OperationError && error.code === 'NOT_FOUND')) throw error;
        const inList = path === 'projects' ? `names ${id}, but ` : '';
        const message = `${inList}must be a project of your organization. list_projects (GET /api/projects) lists them`;
        throw invalid([{ path, message }]);
      }
    }),
  );
}
