import { basename } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { type Attachment, MAX_ATTACHMENT_BYTES } from '@worktrack/contracts/attachments/attachment';
import { addAttachment, uploadLocalFile as operation } from '@worktrack/contracts/attachments/operations';
import { OperationError } from '@worktrack/contracts/errors';
import type { Input } from '@worktrack/contracts/operation';
import { deleteUploaded, LocalFileRefused, openLocalFile } from '@worktrack/runtime/process/local-file';
import { parseInput } from '@worktrack/runtime/validation/parse';
import { notAsWorktrack, whyOf } from '../failure.ts';
import { requestOf } from '../service/api.ts';
import { MAY_SUCCEED_LATER } from '../service/repeated.ts';
import { asked, type Service } from '../service/service.ts';
import { ServiceAway, ServiceRefused } from './remote.ts';

/** By its name: the single file has of an operation only what a call needs (one-file/build.ts). */
export const UPLOAD_TOOL = 'upload_work_item_attachment';
const UPLOAD_TIMEOUT_MS = 120_000;

type Given = Input<typeof operation>;

interface Failed {
  readonly code: string;
  readonly message: string;
  readonly details?: readonly { readonly path: string; readonly message?: string }[];
}

const MAX_REMEMBERED = 1_000;

/** Results of uploads that deleted their file: repeating one, because its response was lost, returns the result again. */
export class FinishedUploads {
  /** The oldest first. */
  readonly #answers = new Map<string, CallToolResult>();

  of(idempotencyKey: string, given: unknown): CallToolResult | undefined {
    return this.#answers.get(JSON.stringify([idempotencyKey, given]));
  }

  remember(idempotencyKey: string, given: unknown, answer: CallToolResult): void {
    this.#answers.set(JSON.stringify([idempotencyKey, given]), answer);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MAX_REMEMBERED) break;
      this.#answers.delete(oldest);
    }
  }
}

/**
 * The tool that only the bridge can run completely, because it is on the machine with the file.
 * @param workingDirectory files under it may be uploaded, in addition to those under `/tmp/`
 * @throws ServiceAway if it may be repeated with the same key
 */
export async function uploadLocalFile(
  service: Service,
  given: unknown,
  idempotencyKey: string,
  workingDirectory: string,
  finished: FinishedUploads,
): Promise<CallToolResult> {
  const earlier = finished.of(idempotencyKey, given);
  if (earlier) return earlier;
  try {
    const input: Given = parseInput(operation.input, given ?? {});
    const file = await openLocalFile(input.filePath, workingDirectory, MAX_ATTACHMENT_BYTES);
    try {
      const outcome = await send(service, input, await contentOf(file.stream()), idempotencyKey);
      if ('error' in outcome) return failed(outcome.error);
      const deleted = await deleteUploaded(file, input.deleteAfterUpload);
      const output = { attachment: outcome.data, ...deleted };
      const answer = { content: [{ type: 'text' as const, text: JSON.stringify(output) }], structuredContent: output };
      if (deleted.deletedLocalFile) finished.remember(idempotencyKey, given, answer);
      return answer;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof OperationError) return failed(error.toValue());
    if (!(error instanceof LocalFileRefused)) throw error;
    return failed({ code: 'VALIDATION_FAILED', message: error.message, details: [{ path: 'filePath' }] });
  }
}

/** As the service's own tools say it, each thing once: what the message says, details only point at. */
function failed({ code, message, details }: Failed): CallToolResult {
  const pointing = details?.map((fault) => (message.includes(fault.message ?? '') ? { path: fault.path } : fault));
  const error = { code, message, ...(pointing && { details: pointing }) };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify({ error }) }] };
}

/** At most 25 MiB, on the machine of one user. */
async function contentOf(stream: AsyncIterable<Buffer>): Promise<Blob> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return new Blob([Buffer.concat(chunks)]);
}

type Sent = { readonly data: Attachment } | { readonly error: Failed };

async function send(service: Service, input: Given, content: Blob, idempotencyKey: string): Promise<Sent> {
  const form = new FormData();
  // Fields come before the file, as the route requires.
  if (input.uploadedBy !== undefined) form.set('uploadedBy', input.uploadedBy);
  if (input.mimeType !== undefined) form.set('mimeType', input.mimeType);
  if (input.metadata !== undefined) form.set('metadata', JSON.stringify(input.metadata));
  form.set('file', content, input.fileName ?? basename(input.filePath));
  const { method, url } = requestOf(service.baseUrl, addAttachment, { workItemId: input.workItemId });
  const response = await asked(service, (authorization) =>
    fetch(url, {
      method,
      headers: { authorization, 'idempotency-key': idempotencyKey },
      body: form,
      signal: AbortSignal.timeout(UPLOAD_TIMEOUT_MS),
    }),
  );
  if (!(response instanceof Response)) {
    throw new ServiceAway(`${service.baseUrl} does not answer (${whyOf(response)}).`);
  }
  const answer = (await response.json().catch(() => undefined)) as
    | Partial<{ data: Attachment; error: Failed }>
    | undefined;
  if (answer?.data) return { data: answer.data };
  const words = answer?.error?.message ?? notAsWorktrack(service.baseUrl, response.status);
  if (MAY_SUCCEED_LATER.has(response.status)) throw new ServiceAway(words);
  if (!answer?.error) throw new ServiceRefused('UNAVAILABLE', words);
  const { code, message, details } = answer.error;
  return { error: { code, message, ...(details ? { details } : {}) } };
}
