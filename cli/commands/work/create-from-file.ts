import type { RawInput } from '@worktrack/contracts/operation';
import { createWorkItems } from '@worktrack/contracts/work-items/changes/create-items';
import { Failure } from '../../failure.ts';
import { fieldsFrom, jsonOf } from '../../flags.ts';
import { print, printJson, printList, warn } from '../../output.ts';
import type { Api } from '../../service/api.ts';
import { nameOf, textFrom } from '../../text-input.ts';
import type { Options } from '../sending.ts';

/** All items of a file at once, or none. */
export async function createFromFile(service: Api, path: string, options: Options): Promise<void> {
  requireField(options.field, ['id', 'taskId', 'ref', 'created']);
  const { items: _, ...place } = await fieldsFrom(createWorkItems, options);
  const { projectId = service.projectId, ...at } = place;
  const named = { ...(at.boardId === undefined && projectId !== undefined && { projectId }), ...at };
  const source = nameOf(path);
  const plan = await planOf(source, await textFrom(path));
  const input = { ...named, ...plan } as RawInput<typeof createWorkItems>;
  const made = await service.call(createWorkItems, input, {
    ...options,
    placed: { items: `the list in ${source}` },
    inItsWords: (text) => text.replaceAll(ITEM, (_, index, field) => itemOf(source, Number(index), field)),
  });
  warn(made, options);
  if (options.json) return printJson(made);
  if (options.field !== undefined) {
    for (const item of made.items) print(String((item as Readonly<Record<string, unknown>>)[options.field] ?? ''));
    return;
  }
  printList(
    made.items,
    { 'TASK ID': 'taskId', REF: 'ref', CREATED: ({ created }) => (created ? 'yes' : 'was there') },
    'The file has no items.',
  );
}

/** Before anything is created: who is told that the command line is wrong repeats it. */
export function requireField(field: string | undefined, fields: readonly string[]): void {
  if (field === undefined || fields.includes(field)) return;
  throw new Failure('usage', `There is no field ${field}; there are ${fields.join(', ')}.`);
}

const ITEM = /\bitems\.(\d+)(?:\.([\w.]+\w))?/g;
const itemOf = (path: string, index: number, field?: string) =>
  `item ${index + 1} of ${path}${field === undefined ? '' : `, ${field}`}`;

/** @param text JSON, or YAML where its parser is installed: the single file has no room for one */
async function planOf(path: string, text: string): Promise<object> {
  const plan = jsonOf(text) ?? (await asYaml(path, text));
  if (Array.isArray(plan)) return { items: plan };
  if (typeof plan === 'object' && plan !== null) return plan;
  throw new Failure('usage', `${path} is neither a list of items nor { items }.`);
}

async function asYaml(path: string, text: string): Promise<unknown> {
  const yaml = await import('js-yaml').catch(() => undefined);
  if (!yaml) return asJson(path, text);
  try {
    return yaml.load(text);
  } catch (error) {
    if (!(error instanceof yaml.YAMLException)) throw error;
    throw new Failure('usage', `${path} cannot be read: ${error.message.split('\n')[0]}`);
  }
}

/** What the single file reads. */
function asJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    throw new Failure(
      'usage',
      `${path} is not JSON: ${message}. For YAML, run the command from the clone, or install js-yaml beside this file.`,
    );
  }
}
