import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { echoed } from '@worktrack/runtime/validation/parse';
import { z } from 'zod';

/** https://github.com/modelcontextprotocol/ext-skills, specification/stable/skills.mdx (SEP-2640, final since September 2026). */
const EXTENSION = 'io.modelcontextprotocol/skills';
const NAMES = ['claim-work-finish', 'review-work', 'triage-feedback'] as const;
/** They change with a release. */
const FRESHNESS = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

export const SKILLS_CAPABILITIES = { resources: {}, extensions: { [EXTENSION]: {} } };

interface Skill {
  readonly uri: string;
  readonly frontmatter: { readonly name: string; readonly description: string };
  readonly text: string;
}

/** Instructions for the three things that agents mostly do here, in more words than a list of tools has room for. Agents read them when they want to. */
const SKILLS: ReadonlyMap<string, Skill> = new Map(
  NAMES.map((name) => {
    const text = readFileSync(new URL(`./skills/${name}/SKILL.md`, import.meta.url), 'utf8');
    const uri = `skill://${name}/SKILL.md`;
    return [uri, { uri, frontmatter: frontmatterOf(text), text }];
  }),
);

/** Ours are two plain scalars, each on its line. */
function frontmatterOf(text: string): Skill['frontmatter'] {
  const [, name, description] = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(text) ?? [];
  if (name === undefined || description === undefined) throw new Error('A skill begins with its name and description.');
  return { name, description };
}

const ENTRIES = [...SKILLS.values()].map(({ uri, frontmatter, text }) => ({
  uri,
  frontmatter,
  resources: [
    {
      uri,
      digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
      size: Buffer.byteLength(text),
    },
  ],
}));
const MARKDOWN = { mimeType: 'text/markdown' };
const RESOURCES = [...SKILLS.values()].map(({ uri, frontmatter }) => ({ uri, ...frontmatter, ...MARKDOWN }));

const COMPLETE = { resultType: 'complete' } as const;
const NO_SKILL = z.object({ uri: z.string() });

export function serveSkills(server: Server): void {
  server.setRequestHandler('resources/list', () => ({ resources: RESOURCES, ...FRESHNESS }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [], ...FRESHNESS }));
  server.setRequestHandler('resources/read', ({ params }) => {
    const { uri, text } = skillAt(params.uri, 'resource');
    return { contents: [{ uri, ...MARKDOWN, text }], ...FRESHNESS };
  });
  server.setRequestHandler('skills/list', { params: z.looseObject({}) }, () => ({
    ...COMPLETE,
    skills: ENTRIES,
    ...FRESHNESS,
  }));
  server.setRequestHandler('skills/get', { params: NO_SKILL }, ({ uri }) => {
    skillAt(uri, 'skill');
    return { ...COMPLETE, skill: ENTRIES.find((entry) => entry.uri === uri), ...FRESHNESS };
  });
}

function skillAt(uri: string, kind: 'skill' | 'resource'): Skill {
  const found = SKILLS.get(uri);
  if (found) return found;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no ${kind} at ${echoed(uri)}.`, { uri });
}

interface Message {
  readonly method?: unknown;
  readonly params?: {
    readonly capabilities?: Capabilities;
    readonly _meta?: { readonly 'io.modelcontextprotocol/clientCapabilities'?: Capabilities };
  };
}
interface Capabilities {
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** Whether a client says that it knows what skills are: in `initialize`, or since 2026-07-28 in each message. */
export function announcesSkills(message: unknown): boolean {
  const { params } = (message ?? {}) as Message;
  const said = params?._meta?.['io.modelcontextprotocol/clientCapabilities'] ?? params?.capabilities;
  return typeof said?.extensions === 'object' && said.extensions !== null && EXTENSION in said.extensions;
}

export function isAboutSkills(message: unknown): boolean {
  const { method } = (message ?? {}) as Message;
  return typeof method === 'string' && /^(skills|resources)\//.test(method);
}
