import path from 'node:path';
import { MAX_ATTACHMENT_BYTES } from '@worktrack/contracts/attachments/attachment';
import type { uploadLocalFile as operation } from '@worktrack/contracts/attachments/operations';
import type { FailureOf, Input } from '@worktrack/contracts/operation';
import { deleteUploaded, type LocalFile, LocalFileRefused, openLocalFile } from '@worktrack/runtime/process/local-file';
import { shellQuoted as quoted } from '@worktrack/runtime/process/shell';
import { issueTicket, TICKET_LIFETIME_MS } from '../identity/upload-ticket.ts';
import type { Composition, CompositionContext } from './composition.ts';

type Given = Input<typeof operation>;
type Context = CompositionContext<FailureOf<typeof operation>>;

/**
 * Uploads a file from the gateway's own disk if that is enabled. Otherwise the caller's file is on a machine that the gateway cannot see,
 * so the refusal includes a command that uploads it from there.
 */
export const uploadLocalFile: Composition<typeof operation> = async (input, context) => {
  if (!context.uploads.localFiles) throw await refusalWithTicket(input, context);
  const { workItemId, mimeType, uploadedBy, metadata } = input;
  const fileName = input.fileName ?? path.basename(input.filePath);
  const upload = { workItemId, fileName, mimeType, uploadedBy, metadata };
  let file: LocalFile;
  try {
    file = await openAllowed(input, context);
  } catch (error) {
    const { idempotencyKey, ...reading } = context.options;
    if (idempotencyKey === undefined) throw error;
    // The first call deleted the file, and its response was lost.
    const query = { idempotencyKey, upload };
    const attachment = await context.clients.workitems.call('attachments.addedBefore', query, reading);
    if (!attachment) throw error;
    return { output: { attachment, deletedLocalFile: input.deleteAfterUpload !== false }, replayed: true };
  }
  try {
    const { output: attachment, replayed } = await context.clients.workitems.upload(
      'attachments.add',
      upload,
      file.stream(),
      context.options,
    );
    return { output: { attachment, ...(await deleteUploaded(file, input.deleteAfterUpload)) }, replayed };
  } finally {
    await file.close();
  }
};

async function openAllowed(input: Given, context: Context): Promise<LocalFile> {
  try {
    return await openLocalFile(input.filePath, process.cwd(), MAX_ATTACHMENT_BYTES);
  } catch (error) {
    if (!(error instanceof LocalFileRefused)) throw error;
    throw context.fail('VALIDATION_FAILED', error.message, {
      details: [{ path: 'filePath', message: error.message }],
    });
  }
}

async function refusalWithTicket(input: Given, context: Context) {
  const { caller } = context;
  // The gateway's own query, from which the caller learns only that the item exists.
  const item = await context.clients.workitems.call(
    'workItems.brief',
    { id: input.workItemId },
    { caller: { ...caller, permissions: ['work-items:read'] }, requestId: context.options.requestId },
  );
  const { ticket } = issueTicket(
    {
      workItemId: item.id,
      keyPrefix: context.identity.key.prefix,
      fileName: input.fileName,
      mimeType: input.mimeType,
      uploadedBy: input.uploadedBy,
    },
    context.uploads.ticketKeys,
    Date.now(),
  );
  const url = `${context.uploads.baseUrl()}/api/work-items/${item.id}/attachments?ticket=${ticket}`;
  const command = uploadCommand(input, url);
  return context.fail(
    'VALIDATION_FAILED',
    `This server cannot see your disk. Run this where the file is; it works once, for ${TICKET_LIFETIME_MS / 60_000} minutes: ${command}`,
    {
      details: [
        { path: 'filePath', message: 'is on a machine that this server cannot see; upload it with the command' },
      ],
    },
  );
}

/**
 * For a POSIX shell, which checks the path as this server would if it could. The path's target, with links resolved, must be under /tmp/ or the working
 * directory, or nothing is sent and nothing deleted. Fields come before the file, as the route requires.
 */
function uploadCommand(
  { filePath, metadata, deleteAfterUpload }: Pick<Given, 'filePath' | 'metadata' | 'deleteAfterUpload'>,
  url: string,
): string {
  const fields = metadata ? ` --form-string ${quoted(`metadata=${JSON.stringify(metadata)}`)}` : '';
  // curl interprets `;` and `,` in a file name, unless the name is in double quotes.
  const file = quoted(`file=@"${filePath.replace(/(["\\])/g, '\\$1')}"`);
  const rm = `rm -- ${quoted(filePath)}`;
  const ifTemporary = `case "$(realpath -- ${quoted(filePath)})" in "$(realpath /tmp)"/*) ${rm};; esac`;
  const remove = deleteAfterUpload === false ? '' : ` && ${deleteAfterUpload ? rm : ifTemporary}`;
  const upload = `curl -sS --fail-with-body${fields} -F ${file} ${quoted(url)}${remove}`;
  const refusal = `echo ${quoted(`${filePath} is not under /tmp/ or the working directory`)} >&2; false`;
  return `case "$(realpath -- ${quoted(filePath)})" in "$(realpath /tmp)"/*|"$(pwd -P)"/*) ${upload};; *) ${refusal};; esac`;
}
