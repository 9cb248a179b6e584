import type { Multipart, MultipartFile } from '@fastify/multipart';
import { MAX_ATTACHMENT_BYTES } from '@worktrack/contracts/attachments/attachment';
import { OperationError } from '@worktrack/contracts/errors';
import { invalid } from '@worktrack/runtime/validation/parse';
import type { FastifyRequest } from 'fastify';
import { parseJsonBody } from '../http/body/json-body.ts';

const FILE_FIELD = 'file';
const TEXT_FIELDS = ['uploadedBy', 'mimeType', 'metadata'] as const;
const MAX_FIELD_BYTES = 512 * 1024;
/** What browsers and curl send for a file of unknown type: as good as none. */
const NO_TYPE = 'application/octet-stream';

export const FORM_LIMITS = {
  // One more than allowed, so that it is noticed and refused.
  files: 2,
  fields: TEXT_FIELDS.length + 1,
  fieldSize: MAX_FIELD_BYTES,
  // One more than allowed, so that the service sees an excess rather than the end.
  fileSize: MAX_ATTACHMENT_BYTES + 1,
};

export interface UploadForm {
  readonly fileName: string;
  /** As stated by the form, or else by the file's part. */
  readonly mimeType?: string | undefined;
  readonly uploadedBy?: string | undefined;
  readonly metadata?: unknown;
  /** Read at the consumer's pace. Fails at the end if anything follows the file in the form. */
  readonly bytes: AsyncIterable<Buffer>;
}

/**
 * Reads a multipart form up to its file, whose bytes stay in the connection until they are read.
 * @throws OperationError UNSUPPORTED_MEDIA_TYPE, or VALIDATION_FAILED with the field at fault
 */
export async function readForm(request: FastifyRequest): Promise<UploadForm> {
  if (!request.isMultipart()) {
    throw new OperationError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the file as multipart/form-data, in the field `file`: curl -F file=@path …',
    );
  }
  const parts = request.parts();
  const part = await nextFile(parts);
  if (!part)
    throw invalid([{ path: FILE_FIELD, message: 'is missing; the form needs a field `file` that holds a file' }]);
  if (part.fieldname !== FILE_FIELD) {
    throw invalid([{ path: part.fieldname, message: 'is not known; the file goes into the field `file`' }]);
  }
  const fields = textFields(part);
  return {
    fileName: part.filename || FILE_FIELD,
    mimeType: fields.mimeType ?? (part.mimetype === NO_TYPE ? undefined : part.mimetype),
    uploadedBy: fields.uploadedBy,
    metadata: fields.metadata === undefined ? undefined : metadataOf(fields.metadata),
    bytes: wholeForm(part, parts),
  };
}

async function nextFile(parts: AsyncIterator<Multipart>): Promise<MultipartFile | undefined> {
  for (let next = await nextOf(parts); next; next = await nextOf(parts)) if (next.type === 'file') return next;
  return undefined;
}

async function nextOf(parts: AsyncIterator<Multipart>): Promise<Multipart | undefined> {
  try {
    const next = await parts.next();
    return next.done ? undefined : next.value;
  } catch (error) {
    throw invalid([{ path: FILE_FIELD, message: error instanceof Error ? error.message : 'cannot be read' }]);
  }
}

/** Nothing is stored before the last byte, so anything after the file is refused rather than silently lost. */
async function* wholeForm(part: MultipartFile, parts: AsyncIterator<Multipart>): AsyncGenerator<Buffer> {
  try {
    yield* part.file;
  } catch {
    throw invalid([{ path: FILE_FIELD, message: 'ends before its boundary; send the form again, complete' }]);
  }
  const next = await nextOf(parts);
  if (!next) return;
  const message = next.type === 'file' ? 'is one file too many; upload each one separately' : 'must come before `file`';
  throw invalid([{ path: next.fieldname, message }]);
}

type TextFields = Partial<Record<(typeof TEXT_FIELDS)[number], string>>;

function textFields(part: MultipartFile): TextFields {
  const found: TextFields = {};
  for (const [name, field] of Object.entries(part.fields)) {
    if (name === FILE_FIELD) continue;
    const textField = TEXT_FIELDS.find((candidate) => candidate === name);
    if (!textField)
      throw invalid([{ path: name, message: `is not known; before \`file\` come ${TEXT_FIELDS.join(', ')}` }]);
    if (!field || Array.isArray(field) || field.type !== 'field') {
      throw invalid([{ path: name, message: 'must be given once, as text' }]);
    }
    if (field.valueTruncated) throw invalid([{ path: name, message: `must have at most ${MAX_FIELD_BYTES} bytes` }]);
    // An empty form field counts as left out.
    if (field.value !== '') found[textField] = String(field.value);
  }
  return found;
}

function metadataOf(text: string): unknown {
  try {
    return parseJsonBody(text);
  } catch {
    throw invalid([{ path: 'metadata', message: 'must be a JSON object' }]);
  }
}
