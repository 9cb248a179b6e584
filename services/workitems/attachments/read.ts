import type { readAttachment as operation } from '@worktrack/contracts/attachments/operations';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import { requireNamed } from '../items/shown/shown.repository.ts';
import { attachmentNamed, pageOfAttachments, toAttachment } from './attachments.repository.ts';
import { readContent } from './content.repository.ts';
import { requestedSpan } from './range.ts';

interface Answer {
  readonly output: Output<typeof operation>;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The content, or the requested part of it. Its SHA-256 is the entity tag: an attachment's content never changes. */
export async function readAttachment(
  input: Input<typeof operation>,
  context: ReadContext<FailureOf<typeof operation>>,
): Promise<Answer> {
  const item = await requireNamed(context, input.workItemId);
  const record = await attachmentNamed(context, item._id, input.key);
  if (!record) {
    const others = await namesOf(context, item._id);
    throw context.fail('NOT_FOUND', `${item.taskId} has no attachment named ${input.key}. It has ${others}.`);
  }
  const attachment = toAttachment(record);
  const tag = `"${record.sha256}"`;
  if (input.ifNoneMatch && matches(input.ifNoneMatch, tag)) {
    return { output: { attachment, sent: null, outcome: 'unchanged' }, bytes: nothing() };
  }
  const range = input.ifRange === undefined || input.ifRange === tag ? input.range : undefined;
  const span = requestedSpan(range, record.sizeBytes);
  if (span === 'unsatisfiable') {
    return { output: { attachment, sent: null, outcome: 'unsatisfiable' }, bytes: nothing() };
  }
  if (span === 'whole') {
    const sent = { start: 0, end: Math.max(0, record.sizeBytes - 1) };
    return { output: { attachment, sent, outcome: 'whole' }, bytes: readContent(record.contentId) };
  }
  return { output: { attachment, sent: span, outcome: 'part' }, bytes: readContent(record.contentId, span) };
}

const MAX_NAMED = 10;

/** The names to choose from, in words. */
async function namesOf(context: ReadContext<FailureOf<typeof operation>>, workItemId: string): Promise<string> {
  const some = await pageOfAttachments(context, workItemId, undefined, MAX_NAMED + 1);
  if (some.length === 0) return 'none';
  const names = some.slice(0, MAX_NAMED).map(({ fileName }) => fileName);
  return `${names.join(', ')}${some.length > MAX_NAMED ? ' and more' : ''}`;
}

/** If-None-Match compares weakly (RFC 9110, section 13.1.2). */
function matches(header: string, tag: string): boolean {
  return header.split(',').some((candidate) => [tag, `W/${tag}`, '*'].includes(candidate.trim()));
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
