import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IDEMPOTENCY_KEY_META } from '@worktrack/contracts/tool-call-meta';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateways } from '../support/system.ts';
import { callTool } from '../support/tool-call.ts';

let system: Awaited<ReturnType<typeof startGateways>>;
const folder = mkdtempSync(join(tmpdir(), 'worktrack-local-files-'));
beforeAll(async () => {
  system = await startGateways(1, { env: { MCP_LOCAL_FILES: 'true' } });
});
afterAll(async () => {
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a gateway that may read its disk uploads and deletes a file, and answers a repeated call as the first time', async () => {
  const { apiKey, call, boardId, columns } = await system.newOrganization();
  const where = { boardId, boardColumnId: columns.Backlog };
  const item = await call<{ id: string }>('POST', '/api/work-items', { title: 'A', type: 'task', ...where });
  const workItemId = item.data.id;
  const filePath = join(folder, 'report.txt');
  writeFileSync(filePath, 'a report');
  const args = { workItemId, filePath, metadata: { page: 1 } };
  const upload = (key: string, more = {}) =>
    callTool(
      system.baseUrl,
      apiKey,
      'upload_work_item_attachment',
      { ...args, ...more },
      {
        meta: { [IDEMPOTENCY_KEY_META]: key },
      },
    );
  const key = randomUUID();
  const first = await upload(key);
  expect(first.output).toMatchObject({ attachment: { fileName: 'report.txt', size: 8 }, deletedLocalFile: true });
  expect(existsSync(filePath)).toBe(false);
  expect((await upload(key)).output).toEqual(first.output);
  // With another key, or another request, there is no file.
  expect((await upload(randomUUID())).error?.code).toBe('VALIDATION_FAILED');
  expect((await upload(key, { metadata: { page: 2 } })).error?.code).toBe('VALIDATION_FAILED');
  const attachments = await call<object[]>('GET', `/api/work-items/${workItemId}/attachments`);
  expect(attachments.data).toHaveLength(1);
});
