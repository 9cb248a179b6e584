import { randomUUID } from 'node:crypto';
import type { Secrets } from '@worktrack/stack/files/secrets';
import { createOrganization } from '@worktrack/stack/seed/organization';

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly success: boolean;
  readonly data: T;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: { path: string; message: string }[];
  };
}

export interface TestOrganization {
  readonly organizationId: string;
  readonly userId: string;
  /** The owner's: it holds all permissions. */
  readonly apiKey: string;
  readonly projectId: string;
  readonly boardId: string;
  /** The board's column ids by name. */
  readonly columns: Readonly<Record<string, string>>;
  /** A REST call with the key. `body` is sent as JSON; the answer's envelope is unwrapped, whatever its status. */
  call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>;
  /** Another user, with a key of their own. By default a member, whose key holds all that its user may do. */
  newUser(fields?: object, ofKey?: object): Promise<TestUser>;
}

export interface TestUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly keyId: string;
  readonly key: string;
  readonly call: TestOrganization['call'];
}

export async function createTestOrganization(
  baseUrl: string,
  rabbitmqUrl: string,
  secrets: Secrets,
): Promise<TestOrganization> {
  const name = `Test ${randomUUID()}`;
  const created = await createOrganization(rabbitmqUrl, secrets, { name, ownerEmail: `${randomUUID()}@example.com` });
  const apiKey = created.apiKey.key;
  const call = caller(baseUrl, apiKey);
  const project = await call<{ id: string; defaultBoardId: string }>('POST', '/api/projects', {
    name: 'Work',
    key: 'W',
  });
  if (!project.success) throw new Error(`No project could be made: ${project.error.message}`);
  const board = await call<{ columns: { id: string; name: string }[] }>(
    'GET',
    `/api/boards/${project.data.defaultBoardId}`,
  );
  return {
    organizationId: created.organization.id,
    userId: created.user.id,
    apiKey,
    projectId: project.data.id,
    boardId: project.data.defaultBoardId,
    columns: Object.fromEntries(board.data.columns.map((column) => [column.name, column.id])),
    call,
    async newUser(fields = {}, ofKey = {}) {
      const body = { email: `${randomUUID()}@example.com`, name: 'Grace', role: 'member', ...fields };
      const { data: user } = await call<Pick<TestUser, 'id' | 'name' | 'email'>>('POST', '/api/users', body);
      const made = { name: 'Theirs', userId: user.id, ...ofKey };
      const { data: key } = await call<{ id: string; key: string }>('POST', '/api/api-keys', made);
      return { ...user, keyId: key.id, key: key.key, call: caller(baseUrl, key.key) };
    },
  };
}

/** Calls with any key, or with anything else to be sent as one. */
export function caller(baseUrl: string, apiKey: string): TestOrganization['call'] {
  return async (method, path, body, headers) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return {
      status: response.status,
      headers: response.headers,
      ...((await response.json()) as Omit<Answer<never>, 'status' | 'headers'>),
    };
  };
}
