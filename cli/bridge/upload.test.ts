import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RemoteTools } from './remote.ts';
import { FinishedUploads, uploadLocalFile } from './upload.ts';

test('an upload is repeated under its key while a proxy says that the service is away', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'worktrack-upload-'));
  const filePath = join(folder, 'build.log');
  writeFileSync(filePath, 'It failed.');
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']);
    request.resume().on('end', () => {
      if (keys.length === 1) return response.writeHead(502).end('<html>Bad gateway</html>');
      response.end(JSON.stringify({ success: true, data: { fileName: 'build.log' } }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const service = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credential: async () => 'wt_k',
    projectId: undefined,
    projectSource: '',
    keySource: '',
  };
  try {
    const uploaded = await new RemoteTools(service).write(undefined, new AbortController().signal, (key) =>
      uploadLocalFile(service, { workItemId: 'W-T-1', filePath }, key, folder, new FinishedUploads()),
    );
    expect(uploaded.structuredContent).toMatchObject({ attachment: { fileName: 'build.log' } });
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test.each([
  // Not one of this repository, which may be in a temporary folder itself.
  ['a file elsewhere', { filePath: '/etc/hosts' }, 'filePath', /is not under \/tmp\/ or the working directory/],
  ['no file', {}, 'filePath', /^filePath: is required/],
])('%s is refused with what to change, said once', async (_, given, path, words) => {
  const service = {
    ...{ baseUrl: 'http://127.0.0.1:9', credential: async () => 'wt_k' },
    ...{ projectId: undefined, projectSource: '', keySource: '' },
  };
  const refused = uploadLocalFile(service, { workItemId: 'W-T-1', ...given }, 'k', '/nowhere', new FinishedUploads());
  const [{ text = '' } = {}] = (await refused).content as { text?: string }[];
  expect(JSON.parse(text)).toEqual({
    error: { code: 'VALIDATION_FAILED', message: expect.stringMatching(words), details: [{ path }] },
  });
});
