import { createWriteStream, openAsBlob } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Attachment } from '@worktrack/contracts/attachments/attachment';
import { addAttachment, listAttachments, readAttachment } from '@worktrack/contracts/attachments/operations';
import type { Command } from 'commander';
import { Failure } from '../../failure.ts';
import { addFlags, fieldsFrom } from '../../flags.ts';
import { idempotencyKeyOption } from '../../options.ts';
import { minute, print, printJson, printList } from '../../output.ts';
import { api } from '../../service/api.ts';
import { unreadable } from '../../text-input.ts';
import type { Options } from '../sending.ts';

export function addFileCommands(item: Command): void {
  addFlags(item.command('attach <item> <file>').description('attach a file; - is standard input'), addAttachment, [
    'workItemId',
    'fileName',
  ])
    .option('--file-name <name>', 'default: that of the file')
    .addOption(idempotencyKeyOption())
    .action(attach);

  addFlags(item.command('attachments <item>').description('list what is attached'), listAttachments, [
    'workItemId',
  ]).action(async (workItemId: string, options: Options) => {
    const fields = await fieldsFrom(listAttachments, options);
    const found = await api().call(listAttachments, { ...fields, workItemId });
    if (options.json) return printJson(found);
    printList(
      found,
      { NAME: 'fileName', BYTES: 'size', TYPE: 'mimeType', ATTACHED: ({ createdAt }) => minute(createdAt), ID: 'id' },
      'Nothing is attached.',
    );
  });

  item
    .command('download <item> <name>')
    .description('save an attachment, by its file name')
    .option('--output <path>', 'where to; default: the name, in this folder; - is standard output')
    .action(download);
}

async function attach(item: string, path: string, options: Options): Promise<void> {
  const { fileName, mimeType, uploadedBy, metadata } = await fieldsFrom(addAttachment, options);
  if (path === '-' && fileName === undefined) throw new Failure('usage', 'Pass --file-name: standard input has none.');
  const form = new FormData();
  // The fields come before the file, which is streamed.
  for (const [name, value] of Object.entries({ uploadedBy, mimeType }))
    if (value !== undefined) form.set(name, String(value));
  if (metadata !== undefined) form.set('metadata', JSON.stringify(metadata));
  form.set('file', await blobOf(path), String(fileName ?? basename(path)));
  const attached = (await api().upload(addAttachment, { workItemId: item }, form, options)) as Attachment;
  if (options.json) return printJson(attached);
  print(`${attached.fileName} attached to ${item}.`);
}

async function blobOf(path: string): Promise<Blob> {
  if (path === '-') return new Blob([await buffer(process.stdin)]);
  try {
    if ((await stat(path)).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    return await openAsBlob(path);
  } catch (error) {
    throw unreadable(path, error as NodeJS.ErrnoException);
  }
}

/** Never over a file that is there: the name was chosen by whoever attached it. */
async function download(workItemId: string, name: string, { output }: { readonly output?: string }): Promise<void> {
  const content = await api().download(readAttachment, { workItemId, key: name });
  if (output === '-') return pipeline(content, process.stdout, { end: false });
  const path = output ?? basename(name);
  try {
    await pipeline(content, createWriteStream(path, { flags: 'wx' }));
  } catch (error) {
    if (error instanceof Failure) {
      // A part would be in the way of the next attempt.
      await rm(path, { force: true });
      throw error;
    }
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure('usage', `${path} cannot be written: ${code === 'EEXIST' ? 'it is there already' : message}.`);
  }
  print(`Saved as ${path}.`);
}
