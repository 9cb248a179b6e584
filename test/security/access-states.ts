import { caller, type TestOrganization } from '../support/organization.ts';

/** What a key may do at a moment, as its holder sees it. */
export interface State {
  /** Undefined: the key no longer works. */
  readonly permissions?: readonly string[];
  readonly projects?: readonly string[] | null;
}

/** A key and what it was allowed, one state after the other, so that an answer can be judged by what held while it was asked for. */
export class HeldKey {
  readonly value: string;
  readonly #states: State[];
  /** The last state whose change has been answered. */
  #settled = 0;
  answeredSince = 0;

  constructor(value: string, state: State) {
    this.value = value;
    this.#states = [state];
  }

  get state(): State {
    return this.#states.at(-1) as State;
  }

  /** Makes a change: while it is not answered, both states may be seen. */
  async change(state: State, work: () => Promise<void>): Promise<void> {
    this.#states.push(state);
    await work();
    this.#settled = this.#states.length - 1;
    this.answeredSince = 0;
  }

  /** @returns what a call saw that no state between its beginning and its end allows; undefined if it is right */
  async judge(ask: (key: string) => Promise<string>, expected: (state: State) => string): Promise<string | undefined> {
    const from = this.#settled;
    const seen = await ask(this.value);
    if (from === this.#settled) this.answeredSince++;
    const possible = this.#states.slice(from).map(expected);
    return possible.includes(seen) ? undefined : `${possible.join(' or ')}, but was ${seen}`;
  }
}

/** Two ways of asking what one may do: what is said of oneself, and what happens. */
export function questionsAt(gateway: string, projectId: string) {
  const get = async <T>(key: string, path: string) => caller(gateway, key)<T>('GET', path);
  return [
    {
      ask: async (key: string) => {
        const { status, data } = await get<Required<State>>(key, '/api/me');
        return status === 200 ? meOf(data) : String(status);
      },
      expected: (state: State) => (state.permissions ? meOf(state) : '401'),
    },
    {
      ask: async (key: string) => String((await get(key, `/api/projects/${projectId}`)).status),
      expected: ({ permissions, projects }: State) => {
        if (!permissions) return '401';
        if (!permissions.includes('projects:read')) return '403';
        return !projects || projects.includes(projectId) ? '200' : '404';
      },
    },
  ] as const;
}

const meOf = ({ permissions = [], projects }: State) =>
  JSON.stringify([permissions.toSorted(), projects?.toSorted() ?? null]);

/** A user with a role of its own and a key, and the changes that are made of them, each with what then holds. */
export async function changingMember({ call }: TestOrganization, name: string, all: readonly string[]) {
  const made = async <T extends object>(path: string, body: object) =>
    (await call<{ id: string } & T>('POST', path, body)).data;
  const full = ['projects:read', 'work-items:read'];
  const few = ['work-items:read'];
  const [own, other] = await Promise.all([
    made('/api/roles', { name: `${name} may`, permissions: full }),
    made('/api/roles', { name: `${name} may little`, permissions: few }),
  ]);
  const user = await made('/api/users', { email: `${name}@example.com`, name, role: own.id });
  const key = await made<{ key: string }>('/api/api-keys', { name, userId: user.id, rateLimit: { requests: 0 } });
  const ofUser = { method: 'PATCH', path: `/api/users/${user.id}` } as const;
  const ofRole = { method: 'PATCH', path: `/api/roles/${own.id}` } as const;
  const some = all.slice(0, 1);
  const changes = [
    { ...ofUser, body: { projects: some }, gives: { projects: some } },
    { ...ofRole, body: { permissions: few }, gives: { permissions: few } },
    'rotate' as const,
    { ...ofUser, body: { projects: all }, gives: { projects: all } },
    { ...ofRole, body: { permissions: full }, gives: { permissions: full } },
    { ...ofUser, body: { projects: some }, gives: { projects: some } },
    { ...ofUser, body: { projects: null }, gives: { projects: null } },
    { ...ofUser, body: { role: other.id }, gives: { permissions: few } },
    'rotate' as const,
    { ...ofUser, body: { role: own.id }, gives: { permissions: full } },
  ];
  return { id: key.id, key: new HeldKey(key.key, { permissions: full, projects: null }), changes };
}
