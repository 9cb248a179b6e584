import { describe, expect, test } from 'vitest';
import { isAmong, isRedirectUri, placeOf, withParameters } from './redirect-uri.ts';

describe('what a code may be sent to', () => {
  test.each([
    'https://claude.ai/api/mcp/auth_callback',
    'https://chatgpt.com/connector_platform_oauth_redirect',
    'https://app.example:8443/callback?tenant=1',
    'http://127.0.0.1:33418/',
    'http://localhost/callback',
    'http://[::1]:4711/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/callback',
    'vscode://vscode.github-authentication/did-authenticate',
  ])('%s', (uri) => expect(isRedirectUri(uri)).toBe(true));

  test.each([
    ...['http://app.example/callback', 'http://127.0.0.1.evil.example/callback', 'http://localhost.evil.example/'],
    ...[
      'http://10.0.0.1/callback',
      'http://2130706433.evil.example/',
      'https://user@app.example/',
      'https://u:p@app.example/',
    ],
    ...['https://app.example/callback#part', 'https://app.example/#', 'https://app.example/call back'],
    ...['javascript:alert(1)', 'javascript://app.example/%0aalert(1)', 'data:text/html,x', 'data://x/y', 'vbscript:x'],
    ...['file:///etc/passwd', 'blob:https://app.example/1', 'about:blank', 'view-source:https://app.example'],
    ...[
      'intent://scan/#Intent;end',
      'ws://app.example/',
      'ftp://app.example/',
      'mailto:a@app.example',
      'urn:ietf:wg:oauth:2.0:oob',
    ],
    ...[
      'smb://evil.example/share',
      'ssh://evil.example/',
      'ms-msdt:/id%20x',
      'ldap://evil.example/',
      'vnc://evil.example',
    ],
    ...[
      '//app.example/callback',
      '/callback',
      'app.example',
      '',
      'https://',
      'cursor:callback',
      'cursor://',
      `https://app.example/${'a'.repeat(2_000)}`,
    ],
    ...['https:app.example/callback', 'https:/app.example/callback', 'https:///app.example/callback', 'http:localhost'],
    ...['https://app.example\\@evil.example/', 'https:\\\\app.example/callback', 'https://app.example\\callback'],
    ...['https://app.example/\ncallback', 'https://app.example/ümlaut', ' https://app.example/'],
  ])('not %j', (uri) => expect(isRedirectUri(uri)).toBe(false));
});

const OF_THE_CLIENT = [
  'https://app.example/callback',
  'http://127.0.0.1/callback',
  'http://localhost:3000/callback?a=1',
];

describe('exactly one of the client’s, but for the port of loopback', () => {
  test.each([
    'https://app.example/callback',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:1/callback',
    'http://127.0.0.1:65535/callback',
    'http://localhost:4711/callback?a=1',
    'http://localhost/callback?a=1',
  ])('%s', (uri) => expect(isAmong(OF_THE_CLIENT, uri)).toBe(true));

  test.each([
    ...['https://app.example/callback/', 'https://app.example/callback?a', 'https://app.example:443/callback'],
    ...['https://APP.example/callback', 'https://app.example/Callback', 'https://app.example/%63allback'],
    ...[
      'https://app.example/callback/../evil',
      'https://evil.example/callback',
      'https://app.example.evil.example/callback',
    ],
    ...[
      'https://app.example@evil.example/callback',
      'http://app.example/callback',
      'https://app.example:8443/callback',
    ],
    ...['http://127.0.0.1:4711/', 'http://127.0.0.1:4711/callback2', 'http://127.0.0.1:4711/callback#x'],
    ...[
      'http://127.0.0.1:4711@evil.example/callback',
      'http://127.0.0.1:evil.example/callback',
      'http://127.0.0.2/callback',
    ],
    ...[
      'http://[::1]/callback',
      'https://127.0.0.1/callback',
      'http://localhost:3000/callback',
      'http://localhost:3000/callback?a=2',
    ],
    ...['http://user@127.0.0.1:4711/callback', 'http://127.1/callback', 'http://0x7f.1/callback', ''],
  ])('not %j', (uri) => expect(isAmong(OF_THE_CLIENT, uri)).toBe(false));
});

test('parameters are added to those that are there, and what is there stays as it is', () => {
  const more = { code: 'a b', state: null, iss: 'https://worktrack.example/connect' };
  expect(withParameters('https://app.example/%7Ecallback?x=%20', more)).toBe(
    'https://app.example/%7Ecallback?x=%20&code=a+b&iss=https%3A%2F%2Fworktrack.example%2Fconnect',
  );
  expect(withParameters('cursor://a/b', { error: 'access_denied' })).toBe('cursor://a/b?error=access_denied');
});

test.each([
  ['https://claude.ai/api/mcp/auth_callback', { kind: 'site', name: 'claude.ai' }],
  ['http://127.0.0.1:4711/callback', { kind: 'loopback', name: '127.0.0.1:4711' }],
  ['cursor://anysphere.cursor-mcp/oauth/callback', { kind: 'scheme', name: 'cursor' }],
])('whoever decides is shown where %s leads', (uri, place) => expect(placeOf(uri)).toEqual(place));
