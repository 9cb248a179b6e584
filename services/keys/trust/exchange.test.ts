import { createHmac, hash } from 'node:crypto';
import type { Identity } from '@worktrack/contracts/keys/identity';
import { prefixOf, TRUST_TOKEN_MARK } from '@worktrack/contracts/keys/key-format';
import type { TrustRule } from '@worktrack/contracts/keys/trust-rules';
import { keyMarkOf } from '@worktrack/contracts/keys/trust-tokens';
import { newKey } from '@worktrack/runtime/process/new-key';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ISSUER_ALGORITHMS, newIssuerKey, signatureOf, signJwt, TestIssuer } from '../../../test/support/issuer.ts';
import { codeOf, startKeys } from '../testing.ts';
import { shapes } from './testing-shapes.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
let issuer: TestIssuer;
let owner: Identity;
beforeAll(async () => {
  keys = await startKeys();
  issuer = await TestIssuer.start();
  ({ owner } = await keys.organization());
});
afterAll(async () => {
  await keys.stop();
  await issuer.stop();
});

type Given = Parameters<typeof keys.call<'trustRules.create'>>[1];
type Json = Readonly<Record<string, unknown>>;

const CLAIMS = {
  repository_id: '987654321',
  ref: 'refs/heads/main',
  workflow_ref: 'octo-org/octo-repo/.github/workflows/ci.yml@refs/heads/main',
  team: 'shop',
};

async function newRule(given: Partial<Given> = {}): Promise<TrustRule> {
  const claims = {
    repository_id: '987654321',
    ref: ['refs/heads/main', 'refs/heads/release/*'],
    workflow_ref: 'octo-org/octo-repo/.github/workflows/ci.yml@refs/heads/*',
    team: 'shop',
  };
  return keys.call('trustRules.create', { name: 'CI', issuer: issuer.url, claims, ...given }, owner);
}

async function exchange(jwt: string, token: string = newKey(TRUST_TOKEN_MARK)) {
  const presented = { prefix: prefixOf(token), digest: hash('sha256', token) };
  const input = { jwt, token: presented };
  const answer = await keys.call('trustTokens.exchange', input);
  const isAsking = answer.outcome === 'asking';
  return { token, ...(isAsking ? await keys.call('trustTokens.exchangeWaiting', input) : answer) };
}

const outcomeOf = async (jwt: string) => (await exchange(jwt)).outcome;
const triesOf = (rule: TrustRule) => keys.call('trustRules.tries', { id: rule.id }, owner);
const nowSeconds = () => Math.floor(Date.now() / 1_000);
const recoded = (jwt: string, header: Json) => {
  const [, ...rest] = jwt.split('.');
  return [Buffer.from(JSON.stringify(header)).toString('base64url'), ...rest].join('.');
};

describe('what the rule trusts', () => {
  test.each(ISSUER_ALGORITHMS)('a JWT signed with %s is exchanged for a token of the rule', async (alg) => {
    const rule = await newRule({ permissions: ['work-items:read'], ttlSeconds: 120 });
    const granted = await exchange(issuer.jwt({ ...CLAIMS, aud: rule.audience }, { key: issuer.key(alg) }));
    expect(granted).toMatchObject({ outcome: 'granted', permissions: ['work-items:read'] });
    expect(await keys.verify(granted.token)).toMatchObject({
      user: { id: owner.user.id },
      permissions: ['work-items:read'],
      projects: null,
      key: { name: 'CI', prefix: prefixOf(granted.token) },
      rule: { id: rule.id },
    });
  });

  test.each([
    ['in a list', (aud: string) => ({ aud: [aud] })],
    ['with a number for an id', () => ({ repository_id: 987654321 })],
    ['without an id of its own', () => ({ jti: undefined })],
    [
      'on another branch of the pattern',
      () => ({ ref: 'refs/heads/release/2026', workflow_ref: CLAIMS.workflow_ref.replace('main', 'x') }),
    ],
    ['by a clock 25 s ahead', () => ({ iat: nowSeconds() + 25, nbf: nowSeconds() + 25 })],
    ['just over', () => ({ iat: nowSeconds() - 100, exp: nowSeconds() - 10 })],
    ['of one hour', () => ({ exp: nowSeconds() + 3_600, iat: nowSeconds() })],
    ['with more claims, nested ones too', () => ({ context: { a: [1, { b: null }] }, groups: ['x'] })],
  ])('%s', async (_, change) => {
    const rule = await newRule();
    const granted = await exchange(issuer.jwt({ ...CLAIMS, aud: rule.audience, ...change(rule.audience) }));
    expect(granted.outcome).toBe('granted');
    expect(await keys.verify(granted.token)).toBeDefined();
  });

  test('a token never lasts longer than its JWT, nor than the rule says', async () => {
    const rule = await newRule({ ttlSeconds: 300 });
    const lifeOf = async (exp: number) => {
      const granted = await exchange(issuer.jwt({ ...CLAIMS, aud: rule.audience, exp }));
      if (granted.outcome !== 'granted') throw new Error('It was refused.');
      return Date.parse(granted.expiresAt) / 1_000 - nowSeconds();
    };
    expect(await lifeOf(nowSeconds() + 60)).toBeLessThanOrEqual(60);
    const life = await lifeOf(nowSeconds() + 600);
    expect(life).toBeGreaterThan(290);
    expect(life).toBeLessThanOrEqual(300);
  });

  test.each(shapes)('a token of $name', async ({ rule: given, token }) => {
    const jwks = { keys: issuer.keys.map(({ jwk }) => jwk) };
    const rule = await keys.call('trustRules.create', { name: 'CI', jwks, ...given }, owner);
    const now = nowSeconds();
    const jwt = issuer.jwt({ iat: now, exp: now + 300, ...token(now), iss: rule.issuer, aud: rule.audience });
    expect(await outcomeOf(jwt), JSON.stringify(await triesOf(rule))).toBe('granted');
    await keys.call('trustRules.delete', { id: rule.id }, owner);
  });

  test('asking for fewer permissions gives these alone, and for none of the rule nothing', async () => {
    const rule = await newRule({ permissions: ['work-items:read', 'work-items:write'] });
    const ask = (permissions: readonly string[]) => {
      const token = newKey(TRUST_TOKEN_MARK);
      const presented = { prefix: prefixOf(token), digest: hash('sha256', token) };
      const jwt = issuer.jwt({ ...CLAIMS, aud: rule.audience });
      return keys.call('trustTokens.exchange', { jwt, token: presented, permissions: permissions as never });
    };
    expect(await ask(['work-items:read', 'users:write'])).toMatchObject({ permissions: ['work-items:read'] });
    expect(await ask(['users:write'])).toEqual({ outcome: 'nothing left' });
  });
});

/** Each makes one JWT that must be refused; `good` is one that would be accepted. */
interface Attack {
  readonly rule: TrustRule;
  readonly claims: Json;
  readonly good: () => string;
}
type Attacks = readonly (readonly [name: string, jwt: (attack: Attack) => string])[];

const HEADER = () => ({ alg: 'RS256', kid: issuer.key('RS256').kid, typ: 'JWT' });
const signed = (header: string | Json, payload: string | Json) => signJwt(header, payload, issuer.key('RS256'));
const complete = ({ claims }: Attack) => ({
  iss: issuer.url,
  iat: nowSeconds(),
  exp: nowSeconds() + 600,
  jti: uuidv7(),
  ...claims,
});
const withClaims = (change: (attack: Attack) => Json) => (attack: Attack) =>
  issuer.jwt({ ...attack.claims, ...change(attack) });

const ALGORITHM_ATTACKS: Attacks = [
  ...['none', 'None', 'NONE', ''].map(
    (alg) =>
      [
        `no signature, alg ${JSON.stringify(alg)}`,
        (attack: Attack) =>
          `${signed({ ...HEADER(), alg }, complete(attack))
            .split('.')
            .slice(0, 2)
            .join('.')}.`,
      ] as const,
  ),
  ...['HS256', 'HS384', 'HS512'].map(
    (alg) =>
      [
        `the public key as the secret of ${alg}`,
        (attack: Attack) => {
          const text = signed({ ...HEADER(), alg }, complete(attack))
            .split('.')
            .slice(0, 2)
            .join('.');
          const secret = JSON.stringify(issuer.key('RS256').jwk);
          return `${text}.${createHmac(`sha${alg.slice(2)}`, secret)
            .update(text)
            .digest('base64url')}`;
        },
      ] as const,
  ),
  ...[
    'RS384',
    'RS512',
    'PS384',
    'PS512',
    'ES256K',
    'ES384',
    'ES512',
    'RSA-OAEP',
    'rs256',
    'RS256 ',
    256,
    null,
    ['RS256'],
  ].map(
    (alg) =>
      [`alg ${JSON.stringify(alg)}`, (attack: Attack) => signed({ ...HEADER(), alg }, complete(attack))] as const,
  ),
  ['no alg', (attack) => signed({ kid: issuer.key('RS256').kid }, complete(attack))],
  ...(['PS256', 'ES256', 'EdDSA'] as const).map(
    (alg) =>
      [`an RSA signature as ${alg}`, (attack: Attack) => signed({ ...HEADER(), alg }, complete(attack))] as const,
  ),
  [
    'the key id of another algorithm',
    (attack) => signed({ ...HEADER(), kid: issuer.key('ES256').kid }, complete(attack)),
  ],
];

const HEADER_ATTACKS: Attacks = [
  ...Object.entries({
    jku: 'https://evil.example/keys',
    x5u: 'https://evil.example/chain',
    x5c: ['MIIB'],
    crit: ['exp'],
    b64: false,
    zip: 'DEF',
    enc: 'A128GCM',
  }).map(
    ([name, value]) =>
      [`a header with ${name}`, (attack: Attack) => signed({ ...HEADER(), [name]: value }, complete(attack))] as const,
  ),
  [
    'a key of its own in the header',
    (attack) => {
      const own = newIssuerKey('RS256', issuer.key('RS256').kid);
      return signJwt({ ...HEADER(), jwk: own.jwk }, complete(attack), own);
    },
  ],
  ...[undefined, '', 7, null, ['a'], 'unknown', '../../../../dev/null', "' OR 1=1 --", '__proto__', 'constructor'].map(
    (kid) =>
      [`kid ${JSON.stringify(kid)}`, (attack: Attack) => signed({ ...HEADER(), kid }, complete(attack))] as const,
  ),
  ...['at+jwt', 'logout+jwt', 'secevent+jwt', 'JWE', 7, ['JWT'], { toString: 1 }].map(
    (typ) =>
      [`typ ${JSON.stringify(typ)}`, (attack: Attack) => signed({ ...HEADER(), typ }, complete(attack))] as const,
  ),
];

const SIGNATURE_ATTACKS: Attacks = [
  ['a key of somebody else with the same id', (attack) => signJwt(HEADER(), complete(attack), newIssuerKey('RS256'))],
  [
    'a changed payload',
    ({ good, claims }) => {
      const [header, , signature] = good().split('.');
      const payload = { ...claims, iss: issuer.url, iat: nowSeconds(), exp: nowSeconds() + 600, jti: uuidv7() };
      return `${header}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.${signature}`;
    },
  ],
  ['a changed header', ({ good }) => recoded(good(), { ...HEADER(), typ: 'jwt' })],
  ['a signature cut short', ({ good }) => good().slice(0, -4)],
  [
    'a signature with a flipped bit',
    ({ good }) => good().replace(/\.([^.])([^.]*)$/, (_, first, rest) => `.${first === 'A' ? 'B' : 'A'}${rest}`),
  ],
  ['the signature of another JWT', ({ good }) => [...good().split('.').slice(0, 2), good().split('.')[2]].join('.')],
  [
    'an ECDSA signature in DER',
    (attack) => {
      const key = issuer.key('ES256');
      const jwt = signJwt({ ...HEADER(), alg: 'ES256', kid: key.kid }, complete(attack), key);
      const text = jwt.split('.').slice(0, 2).join('.');
      return `${text}.${Buffer.concat([Buffer.from([0x30, 0x40]), signatureOf(text, 'ES256', key.privateKey)]).toString('base64url')}`;
    },
  ],
  [
    'an ECDSA signature of zeros',
    (attack) => {
      const key = issuer.key('ES256');
      const text = signJwt({ ...HEADER(), alg: 'ES256', kid: key.kid }, complete(attack), key)
        .split('.')
        .slice(0, 2)
        .join('.');
      return `${text}.${Buffer.alloc(64).toString('base64url')}`;
    },
  ],
];

const text = (attack: Attack) => JSON.stringify(complete(attack));
const FORM_ATTACKS: Attacks = [
  ['two parts', ({ good }) => good().split('.').slice(0, 2).join('.')],
  ['four parts', ({ good }) => `${good()}.AAAA`],
  ['five parts, as if encrypted', ({ good }) => `${good()}.AAAA.AAAA`],
  ['padding', ({ good }) => `${good()}=`],
  ['a line break', ({ good }) => `${good()}\n`],
  ['a space before it', ({ good }) => ` ${good()}`],
  ['the scheme before it', ({ good }) => `Bearer ${good()}`],
  ['more than 16 KiB', withClaims(() => ({ padding: 'x'.repeat(16_000) }))],
  ['a name twice in the payload', (attack) => signed(HEADER(), text(attack).replace('{', '{"repository_id":"1",'))],
  [
    'a name twice, once escaped',
    (attack) => signed(HEADER(), text(attack).replace('{', '{"repository_\\u0069d":"1",')),
  ],
  ['an audience twice', (attack) => signed(HEADER(), text(attack).replace('{', '{"aud":"https://other.example",'))],
  [
    'a name twice, deep inside',
    (attack) => signed(HEADER(), text(attack).replace('{', '{"deep":[{"a":{"b":1,"b":2}}],')),
  ],
  ['an alg twice', (attack) => signed(`{"alg":"none",${JSON.stringify(HEADER()).slice(1)}`, complete(attack))],
  ['a payload that is a list', (attack) => signed(HEADER(), `[${text(attack)}]`)],
  ['a payload that is a text', (attack) => signed(HEADER(), JSON.stringify(text(attack)))],
  ['a payload that is null', () => signed(HEADER(), 'null')],
  ['a byte order mark', (attack) => signed(HEADER(), `\ufeff${text(attack)}`)],
  ['a comma too many', (attack) => signed(HEADER(), text(attack).replace(/}$/, ',}'))],
  [
    'an issuer that is nested deeper than the stack',
    (attack) => {
      const nested = `${'['.repeat(5_500)}${']'.repeat(5_500)}`;
      return signed(HEADER(), text(attack).replace(JSON.stringify(issuer.url), nested));
    },
  ],
  ['nothing', () => ''],
];

const AUDIENCE_ATTACKS: Attacks = [
  ...(
    [
      ['none', () => undefined],
      ['a second one', (aud: string) => [aud, 'https://other.example']],
      ['a first one', (aud: string) => ['https://other.example', aud]],
      ['itself twice', (aud: string) => [aud, aud]],
      ['a list in a list', (aud: string) => [[aud]]],
      ['an object', (aud: string) => ({ aud })],
      ['a slash behind', (aud: string) => `${aud}/`],
      ['capitals', (aud: string) => aud.toUpperCase()],
      ['another scheme', (aud: string) => aud.replace('https', 'http')],
      ['another host', (aud: string) => aud.replace('worktrack.example', 'evil.example')],
      ['a path around', (aud: string) => aud.replace('/trust/', '/trust/../trust/')],
      ['a query', (aud: string) => `${aud}?a=1`],
      ['the service', () => 'https://worktrack.example'],
      ['the id alone', (aud: string) => aud.split('/').at(-1)],
      ['a rule that there is not', (aud: string) => aud.replace(/[^/]+$/, uuidv7())],
      ['a number', () => 7],
    ] as const
  ).map(([name, aud]) => [`audience: ${name}`, withClaims(({ rule }) => ({ aud: aud(rule.audience) }))] as const),
];

const ISSUER_ATTACKS: Attacks = [
  ...(
    [
      ['none', () => undefined],
      ['another', () => 'https://evil.example'],
      ['a slash behind', () => `${issuer.url}/`],
      ['a path behind', () => `${issuer.url}/evil`],
      ['capitals', () => issuer.url.toUpperCase()],
      ['a list', () => [issuer.url]],
      ['a user', () => issuer.url.replace('http://', 'http://evil@')],
    ] as const
  ).map(([name, iss]) => [`issuer: ${name}`, withClaims(() => ({ iss: iss() }))] as const),
];

const TIME_ATTACKS: Attacks = [
  ...(
    [
      ['no exp', () => ({ exp: undefined })],
      ['no iat', () => ({ iat: undefined })],
      ['over for 31 s', () => ({ iat: nowSeconds() - 600, exp: nowSeconds() - 31 })],
      ['over for a year', () => ({ iat: nowSeconds() - 31_600_000, exp: nowSeconds() - 31_536_000 })],
      ['issued in 35 s', () => ({ iat: nowSeconds() + 35 })],
      ['valid in 35 s', () => ({ nbf: nowSeconds() + 35 })],
      ['an exp in text', () => ({ exp: `${nowSeconds() + 600}` })],
      ['an iat in text', () => ({ iat: `${nowSeconds()}` })],
      ['half seconds', () => ({ exp: nowSeconds() + 600.5 })],
      ['an nbf that is null', () => ({ nbf: null })],
      ['a list for exp', () => ({ exp: [nowSeconds() + 600] })],
      ['an exp beyond numbers', () => ({ exp: 1e300 })],
      ['milliseconds', () => ({ exp: Date.now() + 600_000 })],
      ['a negative iat', () => ({ iat: -1 })],
      ['an hour and a second', () => ({ iat: nowSeconds(), exp: nowSeconds() + 3_601 })],
      ['an end before its beginning', () => ({ iat: nowSeconds() + 20, exp: nowSeconds() + 10 })],
    ] as const
  ).map(([name, change]) => [`times: ${name}`, withClaims(change)] as const),
  ...[7, '', null, {}, 'x'.repeat(501)].map(
    (jti) => [`jti ${JSON.stringify(jti).slice(0, 20)}`, withClaims(() => ({ jti }))] as const,
  ),
];

const CLAIM_ATTACKS: Attacks = [
  ...(
    [
      ['another repository', { repository_id: '987654322' }],
      ['a repository by its beginning', { repository_id: '98765432' }],
      ['a repository by its end', { repository_id: '0987654321' }],
      ['no repository', { repository_id: undefined }],
      ['null', { repository_id: null }],
      ['a list with the right one', { repository_id: ['987654321'] }],
      ['an object', { repository_id: { id: '987654321' } }],
      ['a fraction', { repository_id: 987654321.5 }],
      ['white space', { repository_id: ' 987654321' }],
      ['another branch', { ref: 'refs/heads/feature' }],
      ['a pull request', { ref: 'refs/pull/1/merge' }],
      ['a branch that begins as an exact one', { ref: 'refs/heads/main2' }],
      ['a tag of the same name', { ref: 'refs/tags/main' }],
      ['the pattern without its slash', { ref: 'refs/heads/release' }],
      ['capitals', { ref: 'REFS/HEADS/MAIN' }],
      ['a workflow of another repository', { workflow_ref: 'evil/octo-repo/.github/workflows/ci.yml@refs/heads/main' }],
      [
        'a pull request of the workflow',
        { workflow_ref: 'octo-org/octo-repo/.github/workflows/ci.yml@refs/pull/1/merge' },
      ],
      [
        'a workflow file that is named like a branch',
        { workflow_ref: 'octo-org/octo-repo/.github/workflows/ci.yml@refs/heads/x.yml@refs/heads/evil' },
      ],
      ['a workflow without a branch', { workflow_ref: 'octo-org/octo-repo/.github/workflows/ci.yml' }],
      ['another team', { team: 'Shop' }],
      ['an empty team', { team: '' }],
    ] as const
  ).map(([name, change]) => [`claims: ${name}`, withClaims(() => change)] as const),
];

const ATTACKS: Attacks = [
  ...[ALGORITHM_ATTACKS, HEADER_ATTACKS, SIGNATURE_ATTACKS, FORM_ATTACKS, AUDIENCE_ATTACKS],
  ...[ISSUER_ATTACKS, TIME_ATTACKS, CLAIM_ATTACKS],
].flat() as Attacks;

describe('what it does not trust is refused', () => {
  let attack: Attack;
  beforeAll(async () => {
    const rule = await newRule();
    const claims = { ...CLAIMS, aud: rule.audience };
    attack = { rule, claims, good: () => issuer.jwt(claims) };
  });

  test.each(ATTACKS)('%s', async (_, jwtOf) => {
    const jwt = jwtOf(attack);
    expect(await outcomeOf(jwt)).toBe('refused');
    // What is refused takes nothing: it is the attack alone that was wrong.
    expect(await outcomeOf(attack.good())).toBe('granted');
  });

  test.each(['pull_request_target', ['pull_request_target'], { toString: 1 }])('the event %j', async (event) => {
    const jwks = { keys: issuer.keys.map(({ jwk }) => jwk) };
    const claims = { repository_id: '74', repository_owner_id: '65', ref: 'refs/heads/main' };
    const rule = await newRule({ preset: 'github', issuer: undefined, claims, jwks });
    const jwtOf = (change: Json) => issuer.jwt({ ...claims, iss: rule.issuer, aud: rule.audience, ...change });
    expect(await outcomeOf(jwtOf({ event_name: event }))).toBe('refused');
    expect(await outcomeOf(jwtOf({ event_name: 'push' }))).toBe('granted');
  });

  test('there are at least 80', () => expect(ATTACKS.length).toBeGreaterThanOrEqual(80));
});

describe('one JWT, one token', () => {
  test('of many exchanges at once, one gives a token', async () => {
    const rule = await newRule();
    const jwt = issuer.jwt({ ...CLAIMS, aud: rule.audience });
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => outcomeOf(jwt)));
    expect(outcomes.filter((outcome) => outcome === 'granted')).toHaveLength(1);
    expect(await outcomeOf(jwt)).toBe('refused');
  });

  test('another signature of the same content, and another content of the same id, are the same JWT', async () => {
    const rule = await newRule();
    const key = issuer.key('ES256');
    const claims = { ...CLAIMS, aud: rule.audience };
    const first = issuer.jwt({ ...claims, jti: undefined }, { key });
    const [header, payload] = first.split('.');
    const again = `${header}.${payload}.${signatureOf(`${header}.${payload}`, 'ES256', key.privateKey).toString('base64url')}`;
    expect([await outcomeOf(first), first === again, await outcomeOf(again)]).toEqual(['granted', false, 'refused']);
    expect(await outcomeOf(issuer.jwt({ ...claims, jti: 'job-7' }))).toBe('granted');
    expect(await outcomeOf(issuer.jwt({ ...claims, jti: 'job-7', extra: 1 }))).toBe('refused');
  });

  test('a delivery that is repeated gives the same token', async () => {
    const rule = await newRule({ reuse: 3 });
    const jwt = issuer.jwt({ ...CLAIMS, aud: rule.audience });
    const first = await exchange(jwt);
    expect(await exchange(jwt, first.token)).toEqual(first);
    expect(await Promise.all([outcomeOf(jwt), outcomeOf(jwt), outcomeOf(jwt)])).toEqual(
      expect.arrayContaining(['granted', 'granted', 'refused']),
    );
    expect(await exchange(jwt, first.token)).toEqual(first);
  });

  test('a rule may allow several, which count together', async () => {
    const rule = await newRule({ reuse: 5 });
    const jwt = issuer.jwt({ ...CLAIMS, aud: rule.audience });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcomeOf(jwt)));
    expect(outcomes.filter((outcome) => outcome === 'granted')).toHaveLength(5);
  });
});

describe('a change of a rule holds for its tokens before it returns', () => {
  const update = (rule: TrustRule, given: object) => keys.call('trustRules.update', { id: rule.id, ...given }, owner);
  async function ruleWithToken(given: Partial<Given> = {}) {
    const rule = await newRule(given);
    const { token } = await exchange(issuer.jwt({ ...CLAIMS, aud: rule.audience }));
    expect(await keys.verify(token)).toBeDefined();
    return { rule, token };
  }

  test.each<[string, (rule: TrustRule) => Promise<unknown>]>([
    ['is deleted', (rule) => keys.call('trustRules.delete', { id: rule.id }, owner)],
    ['is disabled', (rule) => update(rule, { disabled: true })],
    [
      'is disabled and enabled again',
      async (rule) => [await update(rule, { disabled: true }), await update(rule, { disabled: false })],
    ],
    ['trusts other claims', (rule) => update(rule, { claims: { repository_id: '1', team: 'shop' } })],
    ['trusts another issuer', (rule) => update(rule, { issuer: 'https://ci.example.com' })],
    ['trusts other keys', (rule) => update(rule, { jwks: { keys: [newIssuerKey('EdDSA').jwk] } })],
  ])('a token ends when its rule %s', async (_, change) => {
    const { rule, token } = await ruleWithToken();
    await change(rule);
    expect(await keys.verify(token)).toBeUndefined();
  });

  test('the same claims in another order end nothing', async () => {
    const { rule, token } = await ruleWithToken();
    const claims = Object.fromEntries(Object.entries(rule.claims).reverse());
    expect(Object.keys(claims)).not.toEqual(Object.keys(rule.claims));
    await update(rule, { claims });
    expect(await keys.verify(token)).toBeDefined();
  });

  test('fewer permissions and projects narrow it, more do not widen it, and a shorter life ends it', async () => {
    const { rule, token } = await ruleWithToken({ permissions: ['work-items:read', 'work-items:write'] });
    const project = uuidv7();
    await update(rule, { permissions: ['work-items:read', 'users:write'], projects: [project], name: 'Renamed' });
    expect(await keys.verify(token)).toMatchObject({
      permissions: ['work-items:read'],
      projects: [project],
      key: { name: 'Renamed' },
    });
    const before = (await keys.verify(token))?.rule?.expiresAt ?? '';
    await update(rule, { ttlSeconds: 60 });
    expect(Date.parse((await keys.verify(token))?.rule?.expiresAt ?? '')).toBeLessThan(Date.parse(before));
  });

  test('its user narrows it, and ends it', async () => {
    const user = await keys.call(
      'users.create',
      { email: `${uuidv7()}@example.com`, name: 'Bob', role: 'member' },
      owner,
    );
    const { token } = await ruleWithToken({ userId: user.id, permissions: ['work-items:write', 'work-items:read'] });
    await keys.call('users.update', { id: user.id, role: 'viewer' }, owner);
    expect((await keys.verify(token))?.permissions).toEqual(['work-items:read']);
    await keys.call('users.update', { id: user.id, disabled: true }, owner);
    expect(await keys.verify(token)).toBeUndefined();
  });

  test('what a token makes ends with it, and it signs nobody in', async () => {
    const { token } = await ruleWithToken({ ttlSeconds: 120 });
    const caller = await keys.identityOf(token);
    const made = await keys.call('keys.create', { name: 'From a job' }, caller);
    expect(Date.parse(made.expiresAt ?? '')).toBeLessThanOrEqual(Date.parse(caller.rule?.expiresAt ?? ''));
    expect(await codeOf(keys.call('sessions.createCode', {}, caller))).toBe('PERMISSION_DENIED');
    expect(await codeOf(keys.call('keys.rotateSelf', {}, caller))).toBe('PERMISSION_DENIED');
    expect(
      await codeOf(keys.call('trustRules.create', { name: 'More', issuer: issuer.url, claims: CLAIMS }, caller)),
    ).toBe('PERMISSION_DENIED');
  });
});

describe('a refusal can be understood by who may', () => {
  test('each claim that did not hold is shown, newest first, and what was wrong with one that nobody signed', async () => {
    const rule = await newRule();
    const claims = { ...CLAIMS, aud: rule.audience };
    await outcomeOf(issuer.jwt({ ...claims, repository_id: '1', team: ['a', 'b'] }));
    await outcomeOf(issuer.jwt({ ...claims, iss: 'https://evil.example' }));
    const good = issuer.jwt(claims);
    await outcomeOf(good);
    await outcomeOf(good);
    await outcomeOf(issuer.jwt({ ...claims, aud: ['https://sigstore.example', rule.audience] }));
    const tries = await triesOf(rule);
    expect(tries.map(({ claim, expected, got }) => [claim, expected, got])).toEqual([
      ['aud', "the rule's audience alone", JSON.stringify(['https://sigstore.example', rule.audience])],
      ['jti', 'exchanged once', 'exchanged before'],
      ['iss', issuer.url, 'https://evil.example'],
      ['repository_id', '987654321', '1'],
      ['team', 'shop', '["a","b"]'],
    ]);
    expect(Math.abs(Date.parse(tries[0]?.at ?? '') - Date.now())).toBeLessThan(60_000);
  });

  test('a claim whose name every object has is missing unless the token has it', async () => {
    const rule = await newRule({ claims: { ...CLAIMS, toString: 'shop' } });
    expect(await outcomeOf(issuer.jwt({ ...CLAIMS, aud: rule.audience }))).toBe('refused');
    expect(await triesOf(rule)).toMatchObject([{ claim: 'toString', expected: 'shop', got: 'nothing' }]);
    expect(await outcomeOf(issuer.jwt({ ...CLAIMS, aud: rule.audience, toString: 'shop' }))).toBe('granted');
  });

  test('a key is used for its own algorithm alone, which is named', async () => {
    const strict = await TestIssuer.start();
    const key = newIssuerKey('RS256');
    strict.keys = [{ ...key, jwk: { ...key.jwk, alg: 'PS256' } }];
    const rule = await newRule({ issuer: strict.url });
    expect(await outcomeOf(strict.jwt({ ...CLAIMS, aud: rule.audience }))).toBe('refused');
    const [tried] = await triesOf(rule);
    expect(tried).toMatchObject({ claim: 'header alg', expected: 'PS256', got: 'RS256' });
    await strict.stop();
  });

  test('of keys with one id, four are tried', async () => {
    const unclear = await TestIssuer.start();
    const claims = async () => ({ ...CLAIMS, aud: (await newRule({ issuer: unclear.url })).audience });
    unclear.keys = Array.from({ length: 5 }, () => newIssuerKey('EdDSA', 'one for all'));
    const outcomes: string[] = [];
    for (const key of unclear.keys) outcomes.push(await outcomeOf(unclear.jwt(await claims(), { key })));
    expect(outcomes).toEqual(['granted', 'granted', 'granted', 'granted', 'refused']);
    await unclear.stop();
  });

  test('the last 100 are kept, and what nobody signed pushes out nothing that the issuer did', async () => {
    const rule = await newRule();
    const claims = { ...CLAIMS, aud: rule.audience };
    for (let i = 0; i < 105; i++) await outcomeOf(issuer.jwt({ ...claims, team: `${i}` }));
    for (let i = 0; i < 120; i++) await outcomeOf(issuer.jwt({ ...claims, iss: 'https://evil.example' }));
    const tries = await triesOf(rule);
    expect(tries).toHaveLength(100);
    expect(tries.map(({ got }) => got)).toEqual(Array.from({ length: 100 }, (_, i) => `${104 - i}`));
  });

  test('of many at once, the last 100 are kept', async () => {
    const rule = await newRule();
    const refused = Array.from({ length: 150 }, (_, i) => issuer.jwt({ ...CLAIMS, aud: rule.audience, team: `${i}` }));
    expect(new Set(await Promise.all(refused.map(outcomeOf)))).toEqual(new Set(['refused']));
    const tries = await triesOf(rule);
    expect(new Set(tries.map(({ got }) => got)).size).toBe(100);
    // Though some fall into the same millisecond.
    expect(new Set(tries.map(({ id }) => id)).size).toBe(100);
  });

  test('of those that nobody signed, no more than 200 at once are noted, and then it is known which key ids may still be accepted', async () => {
    const rule = await newRule();
    const claims = { ...CLAIMS, aud: rule.audience };
    const madeUp = () => issuer.jwt(claims, { header: { kid: uuidv7() } });
    const floodAfter = async (jwt: string) => {
      const answer = await exchange(jwt);
      return answer.outcome === 'refused' ? answer.flood : undefined;
    };
    const first = await Promise.all(Array.from({ length: 199 }, () => floodAfter(madeUp())));
    expect(new Set(first)).toEqual(new Set([undefined]));
    const more = async () => (await Promise.all(Array.from({ length: 20 }, () => floodAfter(madeUp())))).at(-1);
    const flood = await more();
    expect(flood?.keyMarks.toSorted()).toEqual(issuer.keys.map(({ kid }) => keyMarkOf(kid)).toSorted());
    expect(flood?.forMs).toBeGreaterThan(0);
    expect(flood?.forMs).toBeLessThanOrEqual(1_000);
    // Neither those of the issuer nor those of a rule with the same issuer are concerned.
    expect(await outcomeOf(issuer.jwt(claims))).toBe('granted');
    expect(await floodAfter(issuer.jwt({ ...claims, team: 'other' }))).toBeUndefined();
    const added = newIssuerKey('ES256');
    issuer.keys = [...issuer.keys, added];
    keys.moveClock(60_000);
    expect(await outcomeOf(issuer.jwt(claims, { key: added }))).toBe('granted');
    expect((await more())?.keyMarks).toContain(keyMarkOf(added.kid));
  });

  test('while an issuer does not answer, gateways are told for how long they need not ask', async () => {
    const away = await TestIssuer.start();
    away.discovery = { status: 503 };
    const { audience } = await newRule({ issuer: away.url });
    const flood = async (aud: unknown) => {
      const answer = await exchange(away.jwt({ ...CLAIMS, aud }));
      return answer.outcome === 'unavailable' ? answer.flood : answer.outcome;
    };
    const told = await flood(audience);
    expect(told).toEqual({ keyMarks: [], forMs: expect.any(Number) });
    expect((told as { forMs: number }).forMs).toBeLessThanOrEqual(1_000);
    expect(await flood([audience, `${audience}0`])).not.toEqual(told);
    away.discovery = undefined;
    keys.moveClock(60_000);
    expect(await flood(audience)).toBe('granted');
    await away.stop();
  });

  test.each<[string, Partial<Pick<TestIssuer, 'discovery' | 'keySet' | 'held'>>, string]>([
    ['says nothing', { held: new Promise<void>(() => {}) }, 'There was no whole answer in time.'],
    ['answers with an error', { discovery: { status: 404 } }, 'The answer was 404.'],
    ['answers with a page', { discovery: { text: '<html>' } }, 'The answer is not JSON.'],
    ['leads elsewhere', { discovery: { status: 302, location: '/elsewhere' } }, 'The answer was 302.'],
    ['has another name', { discovery: { body: { issuer: 'x' } } }, 'The discovery document names another issuer.'],
    ['has no keys', { keySet: { body: {} } }, 'The key set has no keys.'],
    [
      'sends too much',
      { keySet: { body: { keys: [], padding: 'x'.repeat(262_144) } } },
      'The answer has more than 262144 bytes.',
    ],
  ])('who may read them learns why the keys of an issuer that %s are not to be had', async (_, answers, got) => {
    const wrong = Object.assign(await TestIssuer.start(), answers);
    const rule = await newRule({ issuer: wrong.url });
    const jwt = wrong.jwt({ ...CLAIMS, aud: rule.audience });
    // Asked, and then known.
    expect([await outcomeOf(jwt), await outcomeOf(jwt)]).toEqual(['unavailable', 'unavailable']);
    const told = { claim: 'iss', expected: 'an issuer whose keys can be fetched', got };
    expect(await triesOf(rule)).toMatchObject([told, told]);
    await wrong.stop();
  });

  test('who may read them learns that a key of the issuer is none that can be used', async () => {
    const odd = await TestIssuer.start();
    const { jwk } = odd.key('RS256');
    odd.keySet = {
      body: {
        keys: [
          { ...jwk, use: 'enc' },
          { ...jwk, use: undefined, key_ops: ['encrypt'] },
        ],
      },
    };
    const rule = await newRule({ issuer: odd.url });
    expect(await outcomeOf(odd.jwt({ ...CLAIMS, aud: rule.audience }))).toBe('refused');
    expect(await triesOf(rule)).toMatchObject([{ claim: 'header kid', expected: "one of the issuer's usable keys" }]);
    await odd.stop();
  });

  test('who may read them learns that the issuer has more keys than are kept', async () => {
    const large = await TestIssuer.start();
    const { jwk } = large.key('RS256');
    const many = Array.from({ length: 130 }, (_, number) => ({ ...jwk, kid: `${number}` }));
    large.keySet = { body: { keys: many } };
    const rule = await newRule({ issuer: large.url });
    const outcome = (kid: string) => outcomeOf(large.jwt({ ...CLAIMS, aud: rule.audience }, { header: { kid } }));
    expect([await outcome('99'), await outcome('100')]).toEqual(['granted', 'refused']);
    expect(await triesOf(rule)).toMatchObject([
      { claim: 'header kid', expected: "one of the issuer's first 100 usable keys: it has 30 more", got: '100' },
    ]);
    await large.stop();
  });

  test('nobody else sees them', async () => {
    const rule = await newRule();
    const { owner: stranger } = await keys.organization();
    expect(await codeOf(keys.call('trustRules.tries', { id: rule.id }, stranger))).toBe('NOT_FOUND');
  });
});
