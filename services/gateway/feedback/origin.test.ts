import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isOriginAllowed, OPAQUE_ORIGIN, parseAllowedDomains, requestOrigin } from './origin.ts';

/** Entry, `Origin` header, verdict. */
const MATCHING: readonly (readonly [entry: string, origin: string, allowed: boolean])[] = [
  // A bare name: both schemes, their default ports, only that name.
  ['example.com', 'https://example.com', true],
  ['example.com', 'http://example.com', true],
  ['example.com', 'https://example.com:443', true],
  ['example.com', 'http://example.com:80', true],
  ['example.com', 'http://example.com:443', false],
  ['example.com', 'https://example.com:80', false],
  ['example.com', 'https://example.com:8443', false],
  ['example.com', 'https://www.example.com', false],
  ['example.com', 'https://evilexample.com', false],
  ['example.com', 'https://example.com.evil.com', false],
  ['example.com', 'https://example.co', false],
  ['example.com', 'https://example.comm', false],
  ['www.example.com', 'https://example.com', false],
  // Case and the trailing dot of the DNS root.
  ['EXAMPLE.com', 'https://example.com', true],
  ['example.com', 'https://EXAMPLE.COM', true],
  ['example.com', 'HTTPS://example.com', true],
  ['example.com', 'https://example.com.', true],
  ['example.com.', 'https://example.com', true],
  ['example.com', 'https://example.com..', false],
  ['example.com', 'https://example.com.:8443', false],
  // With a scheme: that one.
  ['https://example.com', 'https://example.com', true],
  ['https://example.com/', 'https://example.com', true],
  ['https://example.com', 'http://example.com', false],
  ['http://example.com', 'https://example.com', false],
  ['HTTPS://example.com', 'https://example.com', true],
  ['https://example.com:443', 'https://example.com', true],
  ['https://example.com', 'https://example.com:8443', false],
  // With a port: that one.
  ['https://example.com:8443', 'https://example.com:8443', true],
  ['https://example.com:8443', 'https://example.com', false],
  ['https://example.com:8443', 'https://example.com:84430', false],
  ['https://example.com:8443', 'http://example.com:8443', false],
  ['example.com:8443', 'http://example.com:8443', true],
  ['example.com:443', 'https://example.com', true],
  ['example.com:443', 'http://example.com', false],
  // Wildcards: any depth of subdomain, compared at a dot, not the name itself.
  ['*.example.com', 'https://www.example.com', true],
  ['*.example.com', 'http://a.b.c.example.com', true],
  ['*.example.com', 'https://example.com', false],
  ['*.example.com', 'https://evilexample.com', false],
  ['*.example.com', 'https://evil-example.com', false],
  ['*.example.com', 'https://example.com.evil.com', false],
  ['*.example.com', 'https://www.example.com:8443', false],
  ['*.example.com:8443', 'https://www.example.com:8443', true],
  ['https://*.example.com', 'https://www.example.com', true],
  ['https://*.example.com', 'http://www.example.com', false],
  ['*.example.com', 'https://WWW.EXAMPLE.COM.', true],
  ['*.EXAMPLE.com', 'https://www.example.com', true],
  ['*.example.com', 'https://.example.com', false],
  ['*.example.com', 'https://*.example.com', true],
  // International names, in either notation.
  ['bücher.example', 'https://xn--bcher-kva.example', true],
  ['xn--bcher-kva.example', 'https://xn--bcher-kva.example', true],
  ['BÜCHER.example', 'https://xn--bcher-kva.example', true],
  ['*.bücher.example', 'https://shop.xn--bcher-kva.example', true],
  ['bücher.example', 'https://bucher.example', false],
  ['example.com', 'https://exаmple.com', false], // Cyrillic а
  // Names and addresses of this machine: any port unless one is given.
  ['localhost', 'http://localhost', true],
  ['localhost', 'http://localhost:5173', true],
  ['localhost', 'https://localhost:5173', true],
  ['http://localhost', 'https://localhost:5173', false],
  ['localhost:3000', 'http://localhost:3000', true],
  ['localhost:3000', 'http://localhost:3001', false],
  ['localhost:3000', 'http://localhost', false],
  ['localhost', 'http://localhost.example.com', false],
  ['localhost', 'http://app.localhost', false],
  ['*.localhost', 'http://app.localhost:5173', true],
  ['app.localhost', 'http://app.localhost:5173', true],
  ['127.0.0.1', 'http://127.0.0.1:5173', true],
  ['127.0.0.1', 'http://127.1:5173', true],
  ['127.0.0.1', 'http://0x7f000001', true],
  ['127.0.0.1:3000', 'http://127.0.0.1:3001', false],
  ['127.0.0.1', 'http://localhost', false],
  ['[::1]', 'http://[::1]:5173', true],
  ['[0:0:0:0:0:0:0:1]', 'http://[::1]', true],
  ['[::1]:3000', 'http://[::1]:3001', false],
  ['127.0.0.1.example.com', 'http://127.0.0.1.example.com:5173', false],
  // Other addresses are like names.
  ['192.168.1.10', 'http://192.168.1.10', true],
  ['192.168.1.10', 'http://192.168.1.10:8080', false],
  ['[2001:db8::1]', 'https://[2001:DB8:0::1]', true],
  ['[2001:db8::1]:8443', 'https://[2001:db8::1]:8443', true],
  ['[2001:db8::1]', 'https://[2001:db8::2]', false],
  // What is not an http origin matches nothing.
  ['example.com', 'null', false],
  ['null', 'null', false],
  ['example.com', '', false],
  ['example.com', '*', false],
  ['example.com', 'example.com', false],
  ['example.com', '//example.com', false],
  ['example.com', 'ftp://example.com', false],
  ['example.com', 'file://example.com', false],
  ['example.com', 'chrome-extension://example.com', false],
  ['example.com', 'javascript://example.com', false],
  // An origin is a scheme, a host and a port and nothing else.
  ['example.com', 'https://example.com/', false],
  ['example.com', 'https://example.com/path', false],
  ['example.com', 'https://evil.com/example.com', false],
  ['example.com', 'https://example.com@evil.com', false],
  ['example.com', 'https://evil.com@example.com', false],
  ['example.com', 'https://user:pass@example.com', false],
  ['example.com', 'https://evil.com#example.com', false],
  ['example.com', 'https://evil.com?example.com', false],
  ['example.com', 'https://evil.com\\example.com', false],
  ['example.com', 'https://example.com https://evil.com', false],
  ['example.com', 'https://example.com, https://evil.com', false],
  ['example.com', ' https://example.com', false],
  ['example.com', 'https://exam\tple.com', false],
  ['example.com', 'https://example%2Ecom', false],
  ['example.com', 'https://example.com%00.evil.com', false],
  ['example.com', 'https://example.com:99999', false],
  ['example.com', 'https://example.com:', true], // an empty port is the default one (URL standard)
];

test.each(MATCHING)('%s and %s: %s', (entry, origin, allowed) => {
  expect(isOriginAllowed(requestOrigin({ origin }), parseAllowedDomains([entry]))).toBe(allowed);
});

describe('the origin of a request', () => {
  test.each([
    [{ origin: 'https://a.example' }, 'https://a.example'],
    [{ origin: 'https://A.example.:443' }, 'https://a.example'],
    [{ origin: 'http://a.example:8080' }, 'http://a.example:8080'],
    [{ origin: 'https://bücher.example' }, 'https://xn--bcher-kva.example'],
    [{ origin: 'null' }, OPAQUE_ORIGIN],
    [{ origin: '' }, OPAQUE_ORIGIN],
    [{ origin: 'garbage' }, OPAQUE_ORIGIN],
    [{ origin: 'null', referer: 'https://a.example/' }, OPAQUE_ORIGIN],
    [{ origin: 'https://a.example', referer: 'https://b.example/' }, 'https://a.example'],
    [{ origin: 'capacitor://localhost' }, 'capacitor://localhost'],
    [{ referer: 'https://a.example/page?x=1#y' }, 'https://a.example'],
    [{ referer: 'https://a.example:443/page' }, 'https://a.example'],
    [{ referer: 'https://a.example@evil.example/' }, 'https://evil.example'],
    [{ referer: 'https://evil.example/https://a.example' }, 'https://evil.example'],
    [{ referer: 'about:client' }, null],
    [{ referer: 'garbage' }, null],
    [{ referer: '' }, null],
    [{}, null],
  ])('of %o is %s', (headers, expected) => {
    expect(requestOrigin(headers)).toBe(expected);
  });

  test('is in a normal form: normalizing it again changes nothing', () => {
    fc.assert(
      fc.property(fc.constantFrom('http', 'https'), fc.domain(), fc.nat(65_535), (scheme, domain, port) => {
        const origin = requestOrigin({ referer: `${scheme}://${domain}:${port}/page` });
        expect(requestOrigin({ origin: origin ?? undefined })).toBe(origin);
      }),
    );
  });
});

test('without a restriction every caller passes, even without an origin', () => {
  for (const origin of [null, OPAQUE_ORIGIN, 'https://a.example', 'capacitor://localhost']) {
    expect(isOriginAllowed(origin, [])).toBe(true);
  }
});

test('with a restriction a caller without an origin is refused', () => {
  expect(isOriginAllowed(null, parseAllowedDomains(['example.com']))).toBe(false);
});

test('any one of several entries is enough', () => {
  const allowed = parseAllowedDomains(['a.example', '*.b.example', 'localhost:3000']);
  expect(isOriginAllowed('https://a.example', allowed)).toBe(true);
  expect(isOriginAllowed('https://x.b.example', allowed)).toBe(true);
  expect(isOriginAllowed('http://localhost:3000', allowed)).toBe(true);
  expect(isOriginAllowed('https://c.example', allowed)).toBe(false);
});

test('an entry that is not an origin keeps the restriction in place', () => {
  expect(isOriginAllowed('https://a.example', parseAllowedDomains(['not an origin']))).toBe(false);
});

test('an origin is allowed by its own name, and never by one that it merely ends or begins with', () => {
  fc.assert(
    fc.property(fc.domain(), fc.domain(), (a, b) => {
      fc.pre(a !== b);
      expect(isOriginAllowed(`https://${a}`, parseAllowedDomains([a]))).toBe(true);
      expect(isOriginAllowed(`https://${b}`, parseAllowedDomains([a]))).toBe(false);
      expect(isOriginAllowed(`https://${a}.${b}`, parseAllowedDomains([`*.${a}`]))).toBe(`${a}.${b}`.endsWith(`.${a}`));
      expect(isOriginAllowed(`https://x${a}`, parseAllowedDomains([`*.${a}`]))).toBe(false);
      expect(isOriginAllowed(`https://x.${a}`, parseAllowedDomains([`*.${a}`]))).toBe(true);
    }),
  );
});
