import { beforeAll, describe, expect, test } from 'vitest';
import { sharedSystem } from '../support/system.ts';

let baseUrl: string;
let page: string;
beforeAll(async () => {
  ({ baseUrl } = await sharedSystem());
  page = await (await fetch(`${baseUrl}/console/`)).text();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(baseUrl + path, { headers, redirect: 'manual' });
const assets = () => [...page.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path as string);

describe('the console', () => {
  test.each(['/', '/console'])('is where %s redirects', async (path) => {
    const { status, headers } = await get(path);
    expect([status, headers.get('location')]).toEqual([302, '/console/']);
  });

  test.each(['/console/', '/console/items/W-T-1', '/console/?q=a/b', '/console/board/', '/console/..%2f..%2fetc'])(
    'serves its page at %s, as at every path that is not a file',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(await response.text()).toBe(page);
      const etag = response.headers.get('etag') as string;
      expect((await get(path, { 'if-none-match': etag })).status).toBe(304);
    },
  );

  test('loads files whose names are derived from their content, compressed as the browser accepts', async () => {
    expect(assets().length).toBeGreaterThanOrEqual(3);
    for (const path of assets()) {
      const contents = [];
      for (const encoding of ['br', 'gzip', 'identity']) {
        const response = await get(path, { 'accept-encoding': encoding });
        expect(response.status).toBe(200);
        expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(response.headers.get('content-encoding') ?? 'identity').toBe(encoding);
        expect(response.headers.get('vary')).toContain('Accept-Encoding');
        expect(response.headers.get('content-type')).not.toBe('application/octet-stream');
        contents.push(await response.text());
      }
      expect(new Set(contents).size).toBe(1);
    }
  });

  test('serves its worker where it governs the console and nothing else, and is asked for it again each time', async () => {
    const { status, headers } = await get('/console/worker.js');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect([headers.get('cache-control'), headers.get('service-worker-allowed')]).toEqual(['no-cache', null]);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('does not serve the page in place of a missing file', async () => {
    const response = await get('/console/assets/main-00000000.js');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  test('allows nothing inline and nothing from elsewhere, and cannot be framed by others', async () => {
    for (const path of ['/console/', ...assets()]) {
      const { headers } = await get(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'; trusted-types dompurify");
      expect(policy).not.toMatch(/unsafe-|https?:|\*|data:/);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    }
    expect(page).not.toMatch(/<script>|<style|https?:\/\//);
  });

  test.each([
    ['POST', '/console/'],
    ['DELETE', '/console/items'],
    ['GET', '/console/session'],
    ['POST', '/'],
  ])('does not accept %s at %s', async (method, path) => {
    const response = await fetch(baseUrl + path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toContain(path.endsWith('session') ? 'POST, DELETE' : 'GET');
  });
});
