import { join } from 'node:path';
import { readKept, writePrivate } from '../files/private-file.ts';
import type { Secrets } from '../files/secrets.ts';
import { StartError } from '../report/start-error.ts';
import { createOrganization, organizationExists } from './organization.ts';

/** What the first start creates, for a person to begin with. */
export interface Seed {
  readonly apiKey: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly boardId: string;
  readonly columns: Readonly<Record<string, string>>;
  readonly source: { readonly id: string; readonly publicKey: string };
}

const ORGANIZATION = {
  name: 'My organization',
  ownerEmail: 'owner@example.com',
  ownerName: 'Owner',
  keyName: 'First key',
};
const PROJECT = { name: 'First project', key: 'W' };
interface Project {
  readonly id: string;
  readonly defaultBoardId: string;
}
/** For trying out the widget right away: any page may use it, and it asks for no captcha. */
const SOURCE = { type: 'widget', name: 'Example page', allowedDomains: [], requireCaptcha: false };

export interface Seeded extends Seed {
  /** Nobody has been shown the key: it was created by this start, or by one that did not come to its end. */
  readonly isNew: boolean;
  /** The key, which its organization may have revoked since. */
  readonly works: boolean;
}

/**
 * Creates what does not exist yet and records it in the data directory after each step, so that an interrupted start continues where it was.
 * @param givenKey takes the place of one that has been revoked
 */
export async function seed(
  dataDir: string,
  baseUrl: string,
  rabbitmqUrl: string,
  secrets: Secrets,
  givenKey?: string,
): Promise<Seeded> {
  const path = join(dataDir, 'seed.json');
  let kept = readKept<Seed>(path);
  const keep = (more: Partial<Seed>) => {
    kept = { ...kept, ...more };
    writePrivate(path, `${JSON.stringify(kept, undefined, 2)}\n`);
  };

  const organizationOf = (key: string) => new Api(baseUrl, key).organization();
  const { apiKey: keptKey, organizationId } = kept;
  if (keptKey && organizationId && (await organizationOf(keptKey)) === undefined) {
    // The servers may be different ones than at the last start; then nothing of what was recorded exists.
    if (!(await organizationExists(rabbitmqUrl, secrets, organizationId))) kept = {};
    else if (givenKey && (await organizationOf(givenKey)) === organizationId) keep({ apiKey: givenKey });
    else if (isWhole(kept)) return { ...kept, isNew: false, works: false };
    else throw new StartError(`The key in ${path} was revoked before the first start came to its end. ${OTHER_KEY}`);
  }
  // What is recorded last.
  const isNew = kept.columns === undefined;
  if (!kept.apiKey) {
    const { organization, apiKey } = await createOrganization(rabbitmqUrl, secrets, ORGANIZATION);
    keep({ organizationId: organization.id, apiKey: apiKey.key });
  }
  const api = new Api(baseUrl, kept.apiKey as string);
  // If the project has been deleted since, the newest existing one takes its place.
  if (!kept.projectId || (await api.statusOf(`/api/projects/${kept.projectId}`)) === NOT_FOUND) {
    const { projects } = await api.send<{ projects: Project[] }>('GET', '/api/projects?limit=1');
    const project = projects[0] ?? (await api.send<Project>('POST', '/api/projects', PROJECT));
    keep({ projectId: project.id, boardId: project.defaultBoardId });
  }
  if (!kept.source) {
    const { id, publicKey } = await api.send<{ id: string; publicKey: string }>(
      'POST',
      '/api/feedback/sources',
      SOURCE,
    );
    keep({ source: { id, publicKey } });
  }
  // Read at each start: columns are renamed and added.
  const board = await api.send<{ columns: { id: string; name: string }[] }>('GET', `/api/boards/${kept.boardId}`);
  keep({ columns: Object.fromEntries(board.columns.map(({ id, name }) => [name, id])) });
  return { ...(kept as Seed), isNew, works: true };
}

const isWhole = (kept: Partial<Seed>): kept is Seed => kept.columns !== undefined;

/** What to do about a key that was revoked, as the rest of a line. */
export const OTHER_KEY = 'Start once with another one of that organization in WORKTRACK_API_KEY.';

/** The address that signs the owner in to the console, once. The code is after the `#`: browsers send that to nobody. */
export async function loginLink(baseUrl: string, { apiKey }: Seed): Promise<string> {
  const { code } = await new Api(baseUrl, apiKey).send<{ code: string }>('POST', '/api/login-codes', {});
  return `${baseUrl}/console/#code=${code}`;
}

const REFUSED_KEY = [401, 403];
const NOT_FOUND = 404;

class Api {
  readonly #baseUrl: string;
  readonly #apiKey: string;

  constructor(baseUrl: string, apiKey: string) {
    this.#baseUrl = baseUrl;
    this.#apiKey = apiKey;
  }

  async statusOf(path: string): Promise<number> {
    const response = await fetch(`${this.#baseUrl}${path}`, { headers: { authorization: `Bearer ${this.#apiKey}` } });
    await response.body?.cancel();
    return response.status;
  }

  /** @returns its id; undefined if the key is refused */
  async organization(): Promise<string | undefined> {
    if (REFUSED_KEY.includes(await this.statusOf('/api/me'))) return undefined;
    return (await this.send<{ organization: { id: string } }>('GET', '/api/me')).organization.id;
  }

  async send<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#apiKey}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : undefined,
    });
    const answer = (await response.json()) as { data: T; error?: { message: string } };
    if (!response.ok) throw new StartError(`${method} ${path} failed at the start: ${answer.error?.message}`);
    return answer.data;
  }
}
