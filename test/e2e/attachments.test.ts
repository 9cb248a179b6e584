import { execFile } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { access, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Attachment } from '@worktrack/contracts/attachments/attachment';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { callTool } from '../support/tool-call.ts';

let system: System;
let organization: TestOrganization;
let folder: string;

beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
  folder = await mkdtemp(path.join(tmpdir(), 'worktrack-attachments-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const headers = (extra: Record<string, string> = {}) => ({ authorization: `Bearer ${organization.apiKey}`, ...extra });

async function newItem(): Promise<string> {
  const response = await fetch(`${system.baseUrl}/api/work-items`, {
    method: 'POST',
    headers: headers({ 'content-type': 'application/json' }),
    body: JSON.stringify({
      title: 'Has files',
      type: 'task',
      boardId: organization.boardId,
      boardColumnId: organization.columns.Backlog,
    }),
  });
  const { data } = (await response.json()) as { data: { id: string } };
  return data.id;
}

interface Answer {
  readonly status: number;
  readonly replayed: boolean;
  readonly data: Attachment;
  readonly error: { readonly code: string; readonly message: string; readonly details?: { path: string }[] };
}

async function upload(
  url: string,
  content: Buffer | undefined,
  fields: Record<string, string> = {},
  options: {
    readonly fileName?: string;
    readonly type?: string;
    readonly key?: string;
    readonly anonymous?: boolean;
  } = {},
): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (content) {
    form.append(
      'file',
      new Blob([new Uint8Array(content)], { type: options.type ?? '' }),
      options.fileName ?? 'file.bin',
    );
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: options.anonymous ? {} : headers(options.key ? { 'idempotency-key': options.key } : {}),
    body: form,
  });
  const body = (await response.json()) as Pick<Answer, 'data' | 'error'>;
  return { ...body, status: response.status, replayed: response.headers.get('idempotency-replayed') === 'true' };
}

const uploadsOf = (item: string) => `${system.baseUrl}/api/work-items/${item}/attachments`;
const read = (attachment: Attachment, extra: Record<string, string> = {}, method = 'GET') =>
  fetch(`${system.baseUrl}${attachment.url}`, { method, headers: headers(extra) });

describe('an attachment', () => {
  test('is read as it was uploaded, with its type, name and safe headers', async () => {
    const item = await newItem();
    const content = randomBytes(3_000_000);
    const { status, data } = await upload(
      uploadsOf(item),
      content,
      { uploadedBy: 'a tester', metadata: '{"kind":"log"}' },
      { fileName: '../Übersicht |1|.pdf', type: 'application/pdf' },
    );
    expect(status).toBe(201);
    expect(data).toMatchObject({
      fileName: 'Übersicht _1_.pdf',
      mimeType: 'application/pdf',
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      uploadedBy: 'a tester',
      metadata: { kind: 'log' },
    });
    const response = await read(data);
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-length')).toBe(String(content.length));
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-disposition')).toContain("filename*=UTF-8''%C3%9Cbersicht");
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  test('can be loaded by a page as a picture or a download, and never as its script or style', async () => {
    const { data } = await upload(
      uploadsOf(await newItem()),
      Buffer.from('alert(1)'),
      {},
      { fileName: 'a.js', type: 'text/javascript' },
    );
    for (const [destination, status] of [
      ['script', 403],
      ['style', 403],
      ['serviceworker', 403],
      ['image', 200],
      ['empty', 200],
    ] as const) {
      const response = await read(data, { 'sec-fetch-dest': destination });
      await response.body?.cancel();
      expect([destination, response.status]).toEqual([destination, status]);
    }
  });

  test('is read in parts, and not again by a client that has it', async () => {
    const item = await newItem();
    const content = randomBytes(600_000);
    const { data } = await upload(uploadsOf(item), content);
    const part = await read(data, { range: 'bytes=300000-500000' });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe('bytes 300000-500000/600000');
    expect(Buffer.from(await part.arrayBuffer()).equals(content.subarray(300_000, 500_001))).toBe(true);

    const outside = await read(data, { range: 'bytes=600000-' });
    expect(outside.status).toBe(416);
    expect(outside.headers.get('content-range')).toBe('bytes */600000');

    const tag = part.headers.get('etag') ?? '';
    expect((await read(data, { 'if-none-match': tag })).status).toBe(304);
    expect((await read(data, { range: 'bytes=0-1', 'if-range': tag })).status).toBe(206);
    expect((await read(data, { range: 'bytes=0-1', 'if-range': '"another"' })).status).toBe(200);
    const head = await read(data, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '600000']);
  });

  test('is asked for by its name, and the refusal of a request without one says so', async () => {
    const { status, error } = await organization.call('GET', `/api/work-items/${await newItem()}/attachments/local`);
    expect([status, error?.details]).toEqual([400, [{ path: 'key', message: 'is required (string)' }]]);
  });

  test('with a name that is taken gets a number, is listed, and is deleted for good', async () => {
    const item = await newItem();
    const names: string[] = [];
    for (const content of ['one', 'two', 'three']) {
      names.push((await upload(uploadsOf(item), Buffer.from(content), {}, { fileName: 'shot.png' })).data.fileName);
    }
    expect(names).toEqual(['shot.png', 'shot (2).png', 'shot (3).png']);
    const list = async () =>
      ((await (await fetch(uploadsOf(item), { headers: headers() })).json()) as { data: Attachment[] }).data;
    const [first, second] = await list();
    expect([first?.mimeType, second?.fileName]).toEqual(['image/png', 'shot (2).png']);
    const found = async (search: string) => {
      const answer = await fetch(`${system.baseUrl}/api/work-items?search=${search}`, { headers: headers() });
      const { data } = (await answer.json()) as { data: { workItems: { id: string }[] } };
      return data.workItems.map(({ id }) => id);
    };
    // What a search finds only through the second name.
    expect(await found('shot%202')).toContain(item);
    const removed = await fetch(`${uploadsOf(item)}/${second?.id}`, { method: 'DELETE', headers: headers() });
    expect(await removed.json()).toEqual({ success: true, data: { deleted: true, id: second?.id } });
    expect((await list()).map(({ fileName }) => fileName)).toEqual(['shot.png', 'shot (3).png']);
    expect((await read(second as Attachment)).status).toBe(404);
    expect(await found('shot%202')).not.toContain(item);
    expect(await found('shot%203')).toContain(item);

    const events = await fetch(`${system.baseUrl}/api/work-items/${item}/events`, { headers: headers() });
    const { data } = (await events.json()) as { data: { events: { eventType: string; data: unknown }[] } };
    expect(data.events.map(({ eventType }) => eventType)).toEqual([
      'attachment_removed',
      'attachment_added',
      'attachment_added',
      'attachment_added',
      'created',
    ]);
    expect(data.events[0]?.data).toEqual({ attachmentId: second?.id, fileName: 'shot (2).png' });
  });

  test('uploaded by many at once under one name gets a different name each time', async () => {
    const item = await newItem();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, number) =>
        upload(uploadsOf(item), Buffer.from(`${number}`), {}, { fileName: 'a.txt' }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(answers.map(({ data }) => data.fileName)).size).toBe(8);
  });

  test('is attached once per idempotency key, and another file with that key is refused', async () => {
    const item = await newItem();
    const key = `upload-${item}`;
    const first = await upload(uploadsOf(item), Buffer.from('content'), {}, { key });
    const again = await upload(uploadsOf(item), Buffer.from('content'), {}, { key });
    expect([again.replayed, again.data.id]).toEqual([true, first.data.id]);
    const other = await upload(uploadsOf(item), Buffer.from('other content'), {}, { key });
    expect([other.status, other.error.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
  });

  test('may be empty', async () => {
    const { status, data } = await upload(uploadsOf(await newItem()), Buffer.alloc(0));
    expect([status, data.size]).toEqual([201, 0]);
    const response = await read(data);
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, 0]);
  });
});

describe('an upload is refused, with what to change', () => {
  test.each([
    ['without a file', undefined, {}, 400, 'VALIDATION_FAILED', 'file'],
    ['with an unknown field', Buffer.from('x'), { colour: 'red' }, 400, 'VALIDATION_FAILED', 'colour'],
    ['with metadata that is no JSON', Buffer.from('x'), { metadata: '{' }, 400, 'VALIDATION_FAILED', 'metadata'],
    ['with metadata that is not an object', Buffer.from('x'), { metadata: '[]' }, 400, 'VALIDATION_FAILED', 'metadata'],
    ['with a type that is none', Buffer.from('x'), { mimeType: 'text' }, 400, 'VALIDATION_FAILED', 'mimeType'],
  ] as const)('%s', async (_what, content, fields, status, code, field) => {
    const answer = await upload(uploadsOf(await newItem()), content, fields);
    expect([answer.status, answer.error.code, answer.error.details?.[0]?.path]).toEqual([status, code, field]);
  });

  test.each([
    ['a second file', 'file', new Blob(['small'])],
    ['a second file after a large one', 'file', new Blob([new Uint8Array(3_000_000)])],
    ['a field behind the file', 'uploadedBy', 'late'],
  ])('with %s, and nothing of it is listed', async (_what, name, value) => {
    const item = await newItem();
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(200_000)]), 'first.bin');
    form.append(name, value as Blob);
    const response = await fetch(uploadsOf(item), { method: 'POST', headers: headers(), body: form });
    const { error } = (await response.json()) as Answer;
    expect([response.status, error.code, error.details?.[0]?.path]).toEqual([400, 'VALIDATION_FAILED', name]);
    const { data } = await organization.call('GET', `/api/work-items/${item}/attachments`);
    expect(data).toEqual([]);
  });

  test.each([
    ['an unknown field in the query', '?uploadedBy=me', 'uploadedBy'],
    ['two tickets', '?ticket=a&ticket=b', 'ticket'],
  ])('with %s', async (_what, query, field) => {
    const answer = await upload(`${uploadsOf(await newItem())}${query}`, Buffer.from('x'));
    expect([answer.status, answer.error.code, answer.error.details?.[0]?.path]).toEqual([
      400,
      'VALIDATION_FAILED',
      field,
    ]);
  });

  test('when it is too large, and nothing of it is listed', async () => {
    const item = await newItem();
    const answer = await upload(uploadsOf(item), Buffer.alloc(25 * 1024 * 1024 + 1));
    expect([answer.status, answer.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await (await fetch(uploadsOf(item), { headers: headers() })).json()).toEqual({ success: true, data: [] });
  });

  test('before its bytes are read, and the connection accepts the next request', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = (method: string, url: string, extra: Record<string, string>, body: Buffer) =>
      new Promise<[status: number | undefined, port: number | undefined]>((resolve, reject) => {
        const sent = request(url, { method, agent, headers: headers(extra) }, (response) => {
          const port = response.socket.localPort;
          response.resume().once('end', () => resolve([response.statusCode, port]));
        });
        sent.once('error', reject);
        sent.end(body);
      });
    const body = Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'),
      randomBytes(8 * 1024 * 1024),
      Buffer.from('\r\n--b--\r\n'),
    ]);
    const nobodys = `${system.baseUrl}/api/work-items/${randomUUID()}/attachments`;
    try {
      const form = { 'content-type': 'multipart/form-data; boundary=b' };
      const [status, port] = await send('POST', nobodys, form, body);
      const [next, nextPort] = await send('GET', `${system.baseUrl}/api/me`, {}, Buffer.alloc(0));
      expect([status, next]).toEqual([404, 200]);
      expect(nextPort).toBe(port);
    } finally {
      agent.destroy();
    }
  });

  test('whose form ends within the file, and nothing of it is listed', async () => {
    const item = await newItem();
    const response = await fetch(uploadsOf(item), {
      method: 'POST',
      headers: headers({ 'content-type': 'multipart/form-data; boundary=b' }),
      body: '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nonly the beg',
    });
    const { error } = (await response.json()) as Answer;
    expect([response.status, error.code, error.details?.[0]?.path]).toEqual([400, 'VALIDATION_FAILED', 'file']);
    const { data } = await organization.call('GET', `/api/work-items/${item}/attachments`);
    expect(data).toEqual([]);
  });

  test.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream'])(
    'as %s, and says that a form is needed',
    async (type) => {
      const response = await fetch(uploadsOf(await newItem()), {
        method: 'POST',
        headers: headers({ 'content-type': type }),
        body: 'the content of a file',
      });
      const { error } = (await response.json()) as Answer;
      expect([response.status, error.message]).toEqual([415, expect.stringContaining('multipart/form-data')]);
    },
  );

  test('to an item of another organization', async () => {
    const other = await system.newOrganization();
    const item = await newItem();
    const response = await fetch(uploadsOf(item), { headers: { authorization: `Bearer ${other.apiKey}` } });
    expect(response.status).toBe(404);
  });
});

/** A file that every machine has, and that must not be sent. */
const ELSEWHERE = '/etc/hosts';

describe('upload_work_item_attachment over HTTP', () => {
  const commandOf = (message: string) => message.slice(message.indexOf('case '));

  async function refusal(args: Record<string, unknown>): Promise<string> {
    const { isToolError, error } = await callTool(
      system.baseUrl,
      organization.apiKey,
      'upload_work_item_attachment',
      args,
    );
    expect(isToolError).toBe(true);
    return error?.message ?? '';
  }

  test('cannot see the file, and answers with a command that uploads it once', async () => {
    const item = await newItem();
    const filePath = path.join(folder, "it's here.txt");
    await writeFile(filePath, 'from another machine');
    const message = await refusal({ workItemId: item, filePath, metadata: { kind: "a 'note'" } });
    const command = commandOf(message);
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({
      success: true,
      data: { fileName: "it's here.txt", metadata: { kind: "a 'note'" } },
    });
    await expect(access(filePath)).rejects.toThrow('ENOENT');

    // The ticket is used up: it takes no other file, and running the command again says so.
    await writeFile(filePath, 'another');
    await expect(promisify(execFile)('sh', ['-c', command], { cwd: folder })).rejects.toMatchObject({
      stdout: expect.stringContaining('This upload ticket has been used'),
    });
    expect(await readFile(filePath, 'utf8')).toBe('another');
  });

  test.each([
    ['an absolute path', () => ELSEWHERE],
    ['a path that leads out', () => path.relative(folder, ELSEWHERE)],
    ['a link that leads out', () => path.join(folder, 'link')],
  ])('sends nothing from outside /tmp/ and the working directory: %s', async (_, filePath) => {
    await rm(path.join(folder, 'link'), { force: true });
    await symlink(ELSEWHERE, path.join(folder, 'link'));
    const item = await newItem();
    const args = { workItemId: item, filePath: filePath(), deleteAfterUpload: false };
    await expect(
      promisify(execFile)('sh', ['-c', commandOf(await refusal(args))], { cwd: folder }),
    ).rejects.toMatchObject({ stderr: expect.stringContaining('is not under /tmp/ or the working directory') });
    const { data } = await organization.call('GET', `/api/work-items/${item}/attachments`);
    expect(data).toEqual([]);
  });

  test('issues tickets for that item and nothing else', async () => {
    const item = await newItem();
    const message = await refusal({ workItemId: item, filePath: '/tmp/any.txt' });
    const ticket = /ticket=([^']*)'/.exec(message)?.[1];
    const other = await upload(
      `${uploadsOf(await newItem())}?ticket=${ticket}`,
      Buffer.from('x'),
      {},
      { anonymous: true },
    );
    expect([other.status, other.error.code]).toEqual([401, 'API_KEY_INVALID']);
  });
});
