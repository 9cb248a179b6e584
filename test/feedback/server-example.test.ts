import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FeedbackItem } from '@worktrack/contracts/feedback/records';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf } from '../docs/page.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { newSource } from './visitor.ts';

const PAGE = fileURLToPath(new URL('../../docs/feedback.md', import.meta.url));

/** What happens to a request on its way: it does not arrive, a proxy answers it, or the answer is lost. */
type Fault = 'reset' | 'proxy' | 'lost' | 'none';

let system: System;
/** Of the requests to come, in order. */
let faults: Fault[] = [];
const way = createServer(async (request, response) => {
  const body = await text(request);
  const fault = faults.shift() ?? 'none';
  if (fault === 'reset') return request.socket.destroy();
  if (fault === 'proxy') return response.writeHead(502).end('<h1>Bad gateway</h1>');
  const { method = '', url = '', headers } = request;
  const given = { 'content-type': 'application/json', 'idempotency-key': String(headers['idempotency-key'] ?? 'none') };
  const init = method === 'POST' ? { method, body, headers: given } : { method };
  const answer = await fetch(system.baseUrl + url, init);
  if (fault === 'lost') return request.socket.destroy();
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
});

beforeAll(async () => {
  system = await sharedSystem();
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  way.close();
  way.closeAllConnections();
});

test('the page’s program for servers delivers its message once, whatever is lost on the way', async () => {
  const organization = await system.newOrganization();
  const { publicKey } = await newSource(organization, { type: 'server' });
  const folder = mkdtempSync(join(tmpdir(), 'worktrack-server-'));
  const program = join(folder, 'feedback.mjs');
  writeFileSync(program, blocksOf(PAGE).find(({ language }) => language === 'js')?.text ?? '');
  const WORKTRACK_URL = `http://127.0.0.1:${(way.address() as AddressInfo).port}`;
  faults = ['reset', 'proxy', 'none', 'lost'];
  try {
    const env = { ...process.env, WORKTRACK_URL, WORKTRACK_PUBLIC_KEY: publicKey };
    const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
    const { data } = await organization.call<{ items: FeedbackItem[] }>('GET', '/api/feedback/items');
    expect(data.items.map(({ message }) => message)).toEqual(['The search finds no invoices.']);
    expect(stdout).toContain(data.items[0]?.id);
    expect(faults).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
