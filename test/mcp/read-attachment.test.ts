import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { connectMcp, refusalOf } from './connect.ts';

let system: System;
let organization: TestOrganization;
let client: Awaited<ReturnType<typeof connectMcp>>;
let workItemId: string;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
  client = await connectMcp('sdk 1.x', system.baseUrl, organization.apiKey, organization.projectId);
  const { structuredContent } = await client.call('create_task', { title: 'With files' });
  workItemId = (structuredContent as { id: string }).id;
});
afterAll(() => client?.close());

async function attach(
  fileName: string,
  type: string,
  content: Uint8Array<ArrayBuffer> | string,
  to = workItemId,
): Promise<void> {
  const form = new FormData();
  form.set('mimeType', type);
  form.set('file', new Blob([content], { type }), fileName);
  const headers = { authorization: `Bearer ${organization.apiKey}` };
  const url = `${system.baseUrl}/api/work-items/${to}/attachments`;
  expect((await fetch(url, { method: 'POST', headers, body: form })).status).toBe(201);
}
const read = (fileName: string) => client.call('read_work_item_attachment', { workItemId, fileName });

test('a name that no attachment has is refused with those that there are', async () => {
  const { structuredContent } = await client.call('create_task', { title: 'With eleven files' });
  const { id, taskId } = structuredContent as { id: string; taskId: string };
  const refused = async () =>
    refusalOf(await client.call('read_work_item_attachment', { workItemId: id, fileName: 'log' })).message;
  expect(await refused()).toBe(`${taskId} has no attachment named log. It has none.`);
  const names = Array.from({ length: 11 }, (_, n) => `${n}.log`);
  for (const name of names) await attach(name, 'text/plain', 'x', id);
  expect(await refused()).toBe(
    `${taskId} has no attachment named log. It has ${names.slice(0, 10).join(', ')} and more.`,
  );
});

test('text is read as text, as much of it as a model can take in', async () => {
  await attach('build.log', 'text/plain', 'Es schlug fehl.');
  expect((await read('build.log')).structuredContent).toEqual({
    ...{ fileName: 'build.log', mimeType: 'text/plain', sizeBytes: 15 },
    text: 'Es schlug fehl.',
    shownBytes: 15,
  });
  // A character of three bytes is cut in two at the limit.
  await attach('long.txt', 'application/octet-stream', '語'.repeat(30_000));
  const { structuredContent } = await read('long.txt');
  const { text, ...shown } = structuredContent as { text: string };
  expect(shown).toMatchObject({ sizeBytes: 90_000, shownBytes: 37_998 });
  expect(text).toMatch(/^語{12000,}$/u);
});

/** `é`, a space and `€`, between lines that any encoding of the West writes alike. */
const LATIN = Buffer.concat([Buffer.from('caf'), Buffer.from([0xe9, 0x20, 0x80]), Buffer.from('\r\nok')]);
const TEXT = 'café €\r\nok';
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

test.each([
  ['latin.txt', 'text/plain', LATIN, 'windows-1252', TEXT],
  ['marked.txt', 'text/plain', utf16(`\ufeff${TEXT}`), 'utf-16le', TEXT],
  ['marked-be.txt', 'text/plain', utf16(`\ufeff${TEXT}`).swap16(), 'utf-16be', TEXT],
  ['unmarked.log', 'text/plain', utf16(TEXT), 'utf-16le', TEXT],
  ['unmarked-be.log', 'application/octet-stream', utf16(TEXT).swap16(), 'utf-16be', TEXT],
])('%s is read as what it is, and the answer says as what', async (fileName, type, content, encoding, text) => {
  await attach(fileName, type, new Uint8Array(content));
  const shown = { text, encoding, sizeBytes: content.length, shownBytes: content.length };
  expect((await read(fileName)).structuredContent).toMatchObject(shown);
});

test('UTF-8 with a byte order mark is UTF-8, and the mark is no part of the text', async () => {
  await attach('marked-8.txt', 'text/plain', '\ufeffIt failed.');
  const { structuredContent } = await read('marked-8.txt');
  expect(structuredContent).toMatchObject({ text: 'It failed.', sizeBytes: 13, shownBytes: 13 });
  expect(structuredContent).not.toHaveProperty('encoding');
});

test('of text that is larger as UTF-8 as much is read as a model can take in', async () => {
  await attach('long-latin.txt', 'text/plain', new Uint8Array(60_000).fill(0xe9));
  const { structuredContent } = await read('long-latin.txt');
  const { text, shownBytes } = structuredContent as { text: string; shownBytes: number };
  expect(text).toBe('é'.repeat(shownBytes));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(38_000);
  expect(shownBytes).toBeGreaterThan(18_900);
});

test('an image is read as one', async () => {
  const png = randomBytes(100_000);
  await attach('page.png', 'image/png', png as Uint8Array<ArrayBuffer>);
  const { content, structuredContent } = await read('page.png');
  expect(structuredContent).toEqual({ fileName: 'page.png', mimeType: 'image/png', sizeBytes: 100_000 });
  expect(content[1]).toEqual({ type: 'image', mimeType: 'image/png', data: png.toString('base64') });
  await attach('huge.png', 'image/png', new Uint8Array(2 * 1024 * 1024 + 1));
  expect(refusalOf(await read('huge.png')).code).toBe('PAYLOAD_TOO_LARGE');
});

test('anything else is refused, and so is what is not there', async () => {
  await attach('all.zip', 'application/zip', new Uint8Array([0x50, 0x4b, 3, 4, 0, 0]));
  const refused = refusalOf(await read('all.zip'));
  expect(refused).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'fileName' }] });
  expect(refused.message).toContain('neither text nor an image');
  expect(refusalOf(await read('none.txt')).code).toBe('NOT_FOUND');
});
