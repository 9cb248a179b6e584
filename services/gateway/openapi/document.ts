import { allOperations } from '@worktrack/contracts/catalogue';
import { type ErrorCode, IMPLICIT_ERRORS } from '@worktrack/contracts/errors';
import type { Operation } from '@worktrack/contracts/operation';
import { type Route, routeOf } from '../rest/route.ts';
import { describedInputSchema, fieldsOf, type JsonSchema } from '../schema.ts';
import { VERSION } from '../version.ts';
import { Components, type OpenApiObject } from './components.ts';
import { eventStreamPath } from './event-stream.ts';
import { publicPaths } from './public-paths.ts';
import { downloadOf, uploadOf } from './streams.ts';
import { tokenPath } from './token-path.ts';

/**
 * The OpenAPI 3.1 document of all routes, from the contracts. Its schemas are plain JSON Schema, which 3.1 allows.
 * @param serverUrl where clients reach the service; by default where they got the document
 */
export function openApiDocument(serverUrl = '/'): OpenApiObject {
  const components = new Components();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of allOperations()) {
    const route = routeOf(operation);
    if (!route) continue;
    const path = pathOf(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(operation, route, components) };
  }
  Object.assign(paths, eventStreamPath(components), publicPaths(components), tokenPath());
  return {
    openapi: '3.1.1',
    info: {
      title: 'worktrack',
      version: VERSION,
      description:
        'Projects, boards and work items for teams in which AI agents do much of the work. The same operations are MCP tools at `/mcp`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }],
    tags: tagsOf(paths),
    paths,
    components: components.described(),
  };
}

function describe(operation: Operation, route: Route, components: Components): OpenApiObject {
  const schema = describedInputSchema(operation.input);
  const writes = operation.effect !== 'read';
  const hasBody = route.fieldsIn === 'body';
  const permissions = operation.permissions === 'internal' ? [] : operation.permissions;
  const rest = restOf(schema, route.placeholders);
  const given = (operation.example?.input ?? {}) as Readonly<Record<string, unknown>>;
  const parameters = [
    ...route.placeholders.map((name, i) => ({
      name: placeholdersOf(pathOf(route))[i],
      in: 'path',
      required: true,
      ...described(schema.properties?.[name]),
      ...(name in given ? { example: given[name] } : {}),
    })),
    ...(operation.bytes || hasBody ? [] : queryParameters(rest, given)),
    ...(route.method === 'GET' ? [] : [{ $ref: '#/components/parameters/IdempotencyKey' }]),
    ...(writes && rest.properties?.version ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
  ];
  const codes: ErrorCode[] = [
    ...operation.errors,
    ...IMPLICIT_ERRORS,
    'API_KEY_MISSING',
    'API_KEY_INVALID',
    'RATE_LIMITED',
    'INTERNAL',
    'DEADLINE_EXCEEDED',
    ...(permissions.length === 0 ? [] : (['PERMISSION_DENIED'] as const)),
    ...(writes ? (['IDEMPOTENCY_KEY_REUSED'] as const) : []),
    ...(hasBody ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
  ];
  const common = {
    operationId: operation.name,
    tags: [operation.name.split('.')[0]],
    summary: operation.summary,
    ...(permissions.length === 0
      ? {}
      : {
          description: `Permissions: ${quoted(permissions)}.${operation.roles ? ` Roles: ${quoted(operation.roles)}.` : ''}`,
          // OpenAPI 3.1.1, 4.8.30: with a scheme that is not OAuth the array names the roles that the operation requires.
          security: [{ bearer: permissions }],
        }),
  };
  const failures = components.failures(codes);
  if (operation.bytes === 'down') {
    const stream = downloadOf(rest);
    return {
      ...common,
      parameters: [...parameters, ...stream.parameters],
      responses: { ...stream.responses, ...failures },
    };
  }
  const success = components.success(operation.output, writes, operation.example?.output);
  const status = operation.effect === 'create' ? '201' : '200';
  // Something created with an id of the caller's own may already exist.
  const wasThere = status === '201' && 'created' in ((operation.output as { shape?: object }).shape ?? {});
  return {
    ...common,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.bytes === 'up' ? { requestBody: uploadOf(rest) } : hasBody ? bodyOf(rest, given) : {}),
    responses: { ...(wasThere && { '200': success }), [status]: success, ...failures },
  };
}

/** What the placeholder after each of these stands for. */
const RECORD_AFTER: Readonly<Record<string, string>> = {
  projects: 'projectId',
  boards: 'boardId',
  'work-items': 'workItemId',
  attachments: 'attachmentId',
  items: 'feedbackId',
  sources: 'sourceId',
  'api-keys': 'keyId',
  grants: 'grantId',
  connections: 'connectionId',
  users: 'userId',
};

/** One name for the same thing in all paths, whatever the operations call their fields: the interface's tools call a work item `id`, `workItemId` and `taskId`. */
function pathOf({ path }: Route): string {
  return path.replace(/([^/]+)\/:([A-Za-z]+)/g, (_, before: string, field: string) => {
    return `${before}/{${RECORD_AFTER[before] ?? field}}`;
  });
}

function placeholdersOf(path: string): string[] {
  return [...path.matchAll(/\{([A-Za-z]+)\}/g)].map(([, name]) => name as string);
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}

function restOf(schema: JsonSchema, without: readonly string[]): JsonSchema {
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).filter(([name]) => !without.includes(name)),
  );
  const required = (schema.required ?? []).filter((name) => !without.includes(name));
  return { ...schema, properties, required };
}

function queryParameters(schema: JsonSchema, given: Readonly<Record<string, unknown>>): OpenApiObject[] {
  return fieldsOf(schema).map((name) => ({
    name,
    in: 'query',
    required: schema.required?.includes(name) ?? false,
    ...described(schema.properties?.[name]),
    // A page for trying out requests fills in examples: a filter's example would match nothing.
    ...(name in given && schema.required?.includes(name) ? { example: given[name] } : {}),
  }));
}

/** A parameter's description goes next to its schema, not into it. */
function described(property: JsonSchema = {}): OpenApiObject {
  const { description, ...schema } = property;
  return description ? { description, schema } : { schema };
}

function bodyOf(schema: JsonSchema, given: Readonly<Record<string, unknown>>): OpenApiObject {
  const fields = fieldsOf(schema);
  if (fields.length === 0) return {};
  const example = Object.fromEntries(Object.entries(given).filter(([name]) => fields.includes(name)));
  const { required = [], ...rest } = schema;
  return {
    requestBody: {
      required: required.length > 0,
      content: { 'application/json': { schema: required.length > 0 ? { ...rest, required } : rest, example } },
    },
  };
}

const TAGS: Readonly<Record<string, string>> = {
  projects: 'A project holds boards and work items; the task IDs of its items begin with its key.',
  labels: 'What the work items of a project are marked with.',
  views: 'Lists of work items that people have saved, for themselves or for all.',
  notifications: 'What users are told of: mentions, assignments, and what happens to items that they watch.',
  push: 'Browsers in which users are told, while no page is open, too.',
  boards: 'The columns that work items go through, from left to right.',
  workItems: "Tasks, stories, features, epics and ideas: lists, moves, and agents' work on them.",
  attachments: 'Files of a work item.',
  sources: 'Where feedback comes from: a site or an app with its own public key, limits and retention.',
  feedback: 'What the public has sent: triage, links to ideas, and erasure.',
  health: 'How the installation is: for its owners.',
  forYou: 'What needs you, over all projects.',
  identity: 'Who the key acts for, and what it may do.',
  keys: 'API keys with chosen permissions, an expiry and a rate.',
  sessions: 'Browsers that are signed in to the console, and sign-in codes.',
  trustRules:
    'Which tokens of other issuers, such as those of CI jobs, are exchanged for short-lived ones of this service, without a stored secret.',
  oauth: 'Short-lived tokens for the JWTs of other issuers.',
  organization: 'What holds for the organization as a whole.',
  grants: 'Apps that users have connected, such as claude.ai or an editor, and what each may do.',
  connections: 'Attempts of apps to connect: what each asks for, decided by a person, and how far it came.',
  users: 'The people in the organization, with their roles.',
  roles: 'What users may do: the built-in roles, and those of the organization.',
  events: 'The log of what happened in the organization, in order.',
  audit: 'Who changed who may do what, and who tried: a log that cannot be changed unseen.',
  webhooks: 'URLs that events are sent to as they happen: signed, retried and in order.',
  'public feedback': 'What the widget calls. Needs no API key: a public key and a short-lived token.',
};

function tagsOf(paths: Record<string, Record<string, unknown>>): { name: string; description: string }[] {
  const names = new Set<string>();
  for (const item of Object.values(paths)) {
    for (const operation of Object.values(item))
      for (const tag of (operation as { tags?: string[] }).tags ?? []) names.add(tag);
  }
  return [...names].map((name) => {
    const description = TAGS[name];
    if (description === undefined) throw new Error(`The operations of ${name} have no description.`);
    return { name, description };
  });
}
