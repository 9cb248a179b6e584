import type { Caller } from '@worktrack/contracts/caller';
import { OperationError } from '@worktrack/contracts/errors';
import { Id } from '@worktrack/contracts/fields';
import { invalid, unknownField } from '@worktrack/runtime/validation/parse';
import type { Clients } from '../clients.ts';

/**
 * How long a project that was found counts as found. A project neither goes nor changes its organization, so this bounds
 * only what a later way of removing one would mean. What was not found is asked again each time.
 */
const FOUND_FOR_MS = 30_000;
const MAX_FOUND = 10_000;

/** The project of an MCP session, from the query of its URL. */
export class SessionProjects {
  readonly #clients: Clients;
  readonly #foundUntilMs = new Map<string, number>();

  constructor(clients: Clients) {
    this.#clients = clients;
  }

  /** @throws OperationError VALIDATION_FAILED, or NOT_FOUND for a project of another organization */
  async require(query: unknown, caller: Caller, requestId: string): Promise<string | undefined> {
    let given: unknown;
    for (const [field, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
      if (field !== 'projectId') throw invalid([{ path: field, message: unknownField(field, ['projectId']) }]);
      given = value;
    }
    if (given === undefined) return undefined;
    const parsed = Id.safeParse(given);
    if (!parsed.success) throw invalid([{ path: 'projectId', message: 'must be a UUID' }]);
    const projectId = parsed.data;

    const entry = `${caller.organizationId} ${projectId}`;
    const untilMs = this.#foundUntilMs.get(entry);
    if (untilMs !== undefined && untilMs > Date.now()) return projectId;
    this.#foundUntilMs.delete(entry);
    await this.#look(projectId, caller, requestId);
    if (this.#foundUntilMs.size >= MAX_FOUND) this.#foundUntilMs.clear();
    this.#foundUntilMs.set(entry, Date.now() + FOUND_FOR_MS);
    return projectId;
  }

  async #look(id: string, caller: Caller, requestId: string): Promise<void> {
    try {
      // The gateway's own question: a key needs no permission on projects to work on the items of one.
      const asker: Caller = { ...caller, permissions: ['projects:read'] };
      await this.#clients.workitems.call('projects.get', { id }, { caller: asker, requestId });
    } catch (error) {
      if (error instanceof OperationError && error.code === 'NOT_FOUND') {
        throw new OperationError('NOT_FOUND', 'projectId in the URL names no project of your organization.', {
          details: [{ path: 'projectId', message: 'names no project of your organization' }],
        });
      }
      throw error;
    }
  }
}
