import type { Caller } from '@worktrack/contracts/caller';
import { OperationError } from '@worktrack/contracts/errors';
import { ProjectId, WHERE_PROJECT_IDS_ARE } from '@worktrack/contracts/fields';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Clients } from '../clients.ts';
import { parseQuery } from '../http/query.ts';

/**
 * How long a project that was found stays cached. It never changes its organization. A deleted one is accepted for that long: the tools then
 * find nothing in it, and create nothing, since they ask the service. Misses are not cached.
 */
const FOUND_FOR_MS = 30_000;
const MAX_FOUND = 10_000;

const SessionQuery = z.strictObject({ projectId: ProjectId.optional() });

/** The project of an MCP session, from the query of its URL. */
export class SessionProjects {
  readonly #clients: Clients;
  readonly #found = new LRUCache<string, true>({ max: MAX_FOUND, ttl: FOUND_FOR_MS });

  constructor(clients: Clients) {
    this.#clients = clients;
  }

  /** @throws OperationError VALIDATION_FAILED, or NOT_FOUND for a project of another organization */
  async require(query: unknown, caller: Caller, requestId: string): Promise<string | undefined> {
    const { projectId } = parseQuery(SessionQuery, query);
    if (projectId === undefined) return undefined;

    const entry = `${caller.organizationId} ${projectId}`;
    // Somebody else may have found it, for whom it exists.
    const mayExist = !caller.projects || caller.projects.includes(projectId);
    if (mayExist && this.#found.has(entry)) return projectId;
    await this.#look(projectId, caller, requestId);
    this.#found.set(entry, true);
    return projectId;
  }

  async #look(id: string, caller: Caller, requestId: string): Promise<void> {
    try {
      // The gateway's own query: a key needs no permission on projects to work on the items of one.
      const asker: Caller = { ...caller, permissions: ['projects:read'] };
      await this.#clients.workitems.call('projects.get', { id }, { caller: asker, requestId });
    } catch (error) {
      if (error instanceof OperationError && error.code === 'NOT_FOUND') {
        throw new OperationError(
          'NOT_FOUND',
          `projectId in the URL is not a project in your organization. ${WHERE_PROJECT_IDS_ARE}.`,
          {
            details: [{ path: 'projectId', message: 'is not a project in your organization' }],
          },
        );
      }
      throw error;
    }
  }
}
