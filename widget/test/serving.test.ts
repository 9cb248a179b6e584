import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedSystem } from '../../test/support/system.ts';

/** What a page has to load before it shows the button: the promise of docs/widget.md. */
const MAX_SCRIPT_BYTES = 15_000;
const FOLLOWING = ['/widget.js', '/widget-solver.js', '/widget-de.json', '/widget-ja.json'];

let baseUrl: string;
let manifest: Record<string, { path: string; integrity: string }>;
beforeAll(async () => {
  ({ baseUrl } = await sharedSystem());
  manifest = (await (await fetch(`${baseUrl}/widget/manifest.json`)).json()) as typeof manifest;
});

test('the script is at most 15 kB, compressed as every browser accepts it', async () => {
  const content = Buffer.from(await (await fetch(`${baseUrl}/widget.js`)).arrayBuffer());
  expect(gzipSync(content).length).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
});

describe.each(FOLLOWING)('%s', (path) => {
  test('may be loaded by a page of any origin, and is not interpreted as anything but what it is', async () => {
    const { status, headers } = await fetch(baseUrl + path, { headers: { origin: 'https://shop.example' } });
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-type')).toBe(
      path.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'application/json; charset=utf-8',
    );
  });

  test('is requested again after minutes, and then costs no transfer if it is unchanged', async () => {
    const { headers } = await fetch(baseUrl + path);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    const etag = headers.get('etag') as string;
    const again = await fetch(baseUrl + path, { headers: { 'if-none-match': etag } });
    expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0]);
    expect((await fetch(baseUrl + path, { headers: { 'if-none-match': 'W/"other"' } })).status).toBe(200);
  });

  test('has the same content in every encoding, and caches are told so', async () => {
    const contents = [];
    for (const encoding of ['br', 'gzip', 'identity']) {
      const response = await fetch(baseUrl + path, { headers: { 'accept-encoding': encoding } });
      expect(response.headers.get('content-encoding') ?? 'identity').toBe(encoding);
      expect(response.headers.get('vary')).toContain('Accept-Encoding');
      contents.push(await response.text());
    }
    expect(new Set(contents).size).toBe(1);
  });

  test('has a name that never changes, because its hash is in it', async () => {
    const { path: pinned, integrity } = manifest[path.slice(1)] as { path: string; integrity: string };
    const response = await fetch(baseUrl + pinned);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const content = Buffer.from(await response.arrayBuffer());
    expect(`sha384-${createHash('sha384').update(content).digest('base64')}`).toBe(integrity);
  });
});

test('a build that is not here is a 404 in the same shape as every other', async () => {
  const response = await fetch(`${baseUrl}/widget-0123456789ab.js`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
});

test('the demo page shows what it was asked for as text, whatever that holds', async () => {
  const hostile = `"><script>alert(1)</script>'&`;
  const query = new URLSearchParams({ publicKey: hostile, locale: hostile, theme: hostile, accent: hostile });
  const response = await fetch(`${baseUrl}/widget/demo?${query}`);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await response.text()).not.toContain('<script>alert');
});
