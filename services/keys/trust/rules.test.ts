import { generateKeyPairSync } from 'node:crypto';
import type { Identity } from '@worktrack/contracts/keys/identity';
import {
  createTrustRule,
  MAX_KEPT_KEYS_BYTES,
  MAX_TRUST_RULES,
  type TrustRule,
} from '@worktrack/contracts/keys/trust-rules';
import { PERMISSIONS } from '@worktrack/contracts/permissions';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { faultsOf } from '@worktrack/runtime/validation/parse';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf, copiesOf, startKeys } from '../testing.ts';
import { TrustRuleModel } from '../trust-rules/trust-rules.model.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
let owner: Identity;
beforeAll(async () => {
  keys = await startKeys();
  ({ owner } = await keys.organization());
});
afterAll(() => keys.stop());

type Given = Parameters<typeof keys.call<'trustRules.create'>>[1];

const GITHUB = { repository_id: '987654321', repository_owner_id: '1234567' };
const GITLAB = { project_id: '42', namespace_id: '7', ref_protected: 'true' };
const PIPELINE = {
  organization_id: '0184990a-477b-4fa8-9968-496074483cee',
  pipeline_id: '0184990a-4782-42b5-afc1-16715b10b8ff',
};
const SUB = 'repo:octo-org/octo-repo:environment:prod';

function jwkOf(type: 'rsa' | 'ec' | 'ed25519', detail: number | string = 2_048): Record<string, unknown> {
  const pair =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: detail as number })
      : type === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: detail as string })
        : generateKeyPairSync('ed25519');
  return { ...pair.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' };
}
const KEY = jwkOf('ec', 'P-256');
const jwks = { keys: [KEY] };

const create = (rule: Omit<Given, 'name'>, by = owner) => keys.call('trustRules.create', { name: 'CI', ...rule }, by);

describe('a rule of trust is refused, and its maker told what it would allow', () => {
  const github = (claims: Given['claims']) => ({ preset: 'github' as const, claims });
  const cases: [string, Omit<Given, 'name'>, string, RegExp][] = [
    ['GitHub by sub alone', github({ sub: SUB }), 'claims.repository_id', /deleted and made again/],
    [
      'GitHub by the name of a branch',
      github({ ...GITHUB, ref: ['refs/heads/main', 'main'] }),
      'claims.ref',
      /refs\/heads\/main/,
    ],
    [
      'GitHub by names',
      github({ repository: 'octo-org/octo-repo', ref: 'refs/heads/main' }),
      'claims.repository_id',
      /by its name/,
    ],
    [
      'GitHub by a sub with ids',
      github({ sub: 'repo:octo-org@1234567/octo-repo@987654321:ref:refs/heads/main' }),
      'claims.repository_id',
      /number/,
    ],
    [
      'GitHub without the owner',
      github({ repository_id: '1', ref: 'refs/heads/main' }),
      'claims.repository_owner_id',
      /takes it next/,
    ],
    [
      'GitHub with a name as a number',
      github({ ...GITHUB, repository_id: 'octo-repo', ref: 'refs/heads/main' }),
      'claims.repository_id',
      /number/,
    ],
    ['any workflow of a repository', github(GITHUB), 'claims', /a pull request has just added/],
    [
      'GitHub from elsewhere',
      { ...github({ ...GITHUB, ref: 'refs/heads/main' }), issuer: 'https://evil.example/token' },
      'issuer',
      /_services\/token/,
    ],
    [
      'GitHub as generic',
      {
        preset: 'generic',
        issuer: 'https://token.actions.githubusercontent.com',
        claims: { repository: 'a/b', ref: 'refs/heads/main' },
      },
      'preset',
      /must be github/,
    ],
    [
      'GitLab as generic',
      { preset: 'generic', issuer: 'https://gitlab.com/', claims: { project_path: 'a/b', ref: 'main' } },
      'preset',
      /must be gitlab/,
    ],
    [
      "GitHub's keys as those of a cluster",
      {
        ...{ preset: 'kubernetes', issuer: 'https://token.actions.githubusercontent.com', jwks },
        claims: { sub: 'repo:octo-org/octo-repo:ref:refs/heads/main' },
      },
      'preset',
      /must be github/,
    ],
    [
      'GitLab as Buildkite',
      { preset: 'buildkite', issuer: 'https://gitlab.com', claims: { ...PIPELINE, step_key: 'deploy' } },
      'preset',
      /must be gitlab/,
    ],
    [
      'GitLab by paths',
      { preset: 'gitlab', claims: { project_path: 'group/project', ref: 'main' } },
      'claims.project_id',
      /same path/,
    ],
    [
      'GitLab without the group',
      { preset: 'gitlab', claims: { project_id: '1', ref_protected: 'true' } },
      'claims.namespace_id',
      /moved/,
    ],
    [
      'GitLab on any branch',
      { preset: 'gitlab', claims: { project_id: '1', namespace_id: '2' } },
      'claims.ref_protected',
      /push any branch/,
    ],
    [
      'GitLab on branches that are not protected',
      { preset: 'gitlab', claims: { ...GITLAB, ref_protected: ['true', 'false'] } },
      'claims.ref_protected',
      /must be "true"/,
    ],
    [
      'Buildkite by slugs',
      { preset: 'buildkite', claims: { organization_slug: 'acme', pipeline_slug: 'web', build_branch: 'main' } },
      'claims.organization_id',
      /slug/,
    ],
    ['any build of Buildkite', { preset: 'buildkite', claims: PIPELINE }, 'claims', /fork/],
    ['any pod', { preset: 'kubernetes', issuer: 'https://k.example', jwks, claims: {} }, 'claims.sub', /every pod/],
    [
      'a cluster without its keys',
      { preset: 'kubernetes', issuer: 'https://k.example', claims: { sub: 'system:serviceaccount:a:b' } },
      'jwks',
      /same issuer/,
    ],
    ['one claim of another issuer', { issuer: 'https://ci.example', claims: { sub: 'a' } }, 'claims', /at least two/],
    ['no claim at all', { issuer: 'https://ci.example', claims: {} }, 'claims', /at least two/],
    ['no issuer', { claims: { sub: 'a', team: 'b' } }, 'issuer', /required/],
    ['an issuer that is no URL', { issuer: 'ci', claims: { sub: 'a', team: 'b' } }, 'issuer', /URL/],
    ['an issuer in plain http', { issuer: 'http://8.8.8.8', claims: { sub: 'a', team: 'b' } }, 'issuer', /https/],
    [
      'an issuer in a private network',
      { issuer: 'https://10.0.0.1', claims: { sub: 'a', team: 'b' } },
      'issuer',
      /not public/,
    ],
    [
      'an issuer with a query',
      { issuer: 'https://ci.example?x=1', claims: { sub: 'a', team: 'b' } },
      'issuer',
      /query/,
    ],
    ...['iss', 'aud', 'exp', 'iat', 'nbf', 'jti'].map((name): (typeof cases)[number] => [
      `a condition on ${name}`,
      { issuer: 'https://ci.example', claims: { sub: 'a', [name]: 'b', team: 'c' } },
      `claims.${name}`,
      /every token/,
    ]),
  ];
  test.each(cases)('%s', async (_, rule, path, message) => {
    await expect(create(rule)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message,
      extra: { details: [{ path }] },
    });
  });

  test.each([
    ['ref', '*'],
    ['ref', 'refs/*'],
    ['ref', 'refs/heads*'],
    ['ref', 'refs/heads/*/x'],
    ['ref', 'refs/heads/*x*'],
    ['ref', '*refs/heads/'],
    ['ref', 'refs/pull/*'],
    ['sub', 'repo:octo-org/*'],
    ['environment', 'prod*'],
    ['repository_id', '98*'],
    ['event_name', '*'],
    ['workflow_ref', 'octo-org/octo-repo/*'],
    ['workflow_ref', 'octo-org/*@refs/heads/main'],
    ['workflow_ref', 'octo-org/octo-repo/.github/workflows/x.yml@*'],
    ['job_workflow_ref', 'octo-org/octo-repo/.github/workflows/*@refs/heads/*'],
    ['job_workflow_ref', '@refs/heads/*'],
    ['job_workflow_ref', 'refs/heads/*'],
    ['actor', '*'],
  ])('a star in %s: %s', async (name, value) => {
    const claims = { ...GITHUB, ref: 'refs/heads/main', [name]: value };
    expect(await codeOf(create({ preset: 'github', claims }))).toBe('VALIDATION_FAILED');
  });

  test.each([
    ['RSA of 1 024 bits', () => jwkOf('rsa', 1_024)],
    ['RSA with an exponent as long as its modulus', () => ({ ...jwkOf('rsa'), e: jwkOf('rsa').n })],
    ['another curve', () => jwkOf('ec', 'P-384')],
    ['a symmetric key', () => ({ kty: 'oct', k: 'c2VjcmV0' })],
    ['a private key', () => generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })],
    ['a key for encryption', () => ({ ...KEY, use: 'enc' })],
    ['an incomplete key', () => ({ kty: 'RSA', e: 'AQAB' })],
    ['no kind of key', () => ({ kid: 'one' })],
    ['a key that no token can name', () => ({ ...KEY, kid: undefined })],
  ])('keys: %s', async (_, key) => {
    const rule = {
      issuer: 'https://ci.example',
      claims: { sub: 'a', team: 'b' },
      jwks: { keys: [KEY, key() as never] },
    };
    await expect(create(rule)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      extra: { details: [{ path: 'jwks.keys.1' }] },
    });
  });
});

test.each<[string, Omit<Given, 'name'>]>([
  ['GitHub, by branch', { preset: 'github', claims: { ...GITHUB, ref: ['refs/heads/main', 'refs/tags/v*'] } }],
  ['GitHub, with sub', { preset: 'github', claims: { ...GITHUB, sub: SUB, environment: 'prod' } }],
  [
    'GitHub, by workflow',
    { preset: 'github', claims: { ...GITHUB, workflow_ref: 'o/r/.github/workflows/x.yml@refs/heads/rel*' } },
  ],
  [
    'GitHub, by a shared workflow',
    { preset: 'github', claims: { ...GITHUB, job_workflow_ref: 'o/s/.github/workflows/x.yml@refs/tags/*' } },
  ],
  [
    'GitHub Enterprise Server',
    {
      preset: 'github',
      issuer: 'https://github.example.com/_services/token',
      claims: { ...GITHUB, ref: 'refs/heads/main' },
    },
  ],
  [
    'GitHub Enterprise Cloud',
    {
      preset: 'github',
      issuer: 'https://token.actions.githubusercontent.com/octo-enterprise',
      claims: { ...GITHUB, ref: 'refs/heads/main' },
    },
  ],
  ['GitLab', { preset: 'gitlab', claims: GITLAB }],
  ['Buildkite', { preset: 'buildkite', claims: { ...PIPELINE, step_key: 'deploy' } }],
  [
    'Kubernetes',
    {
      preset: 'kubernetes',
      issuer: 'https://kubernetes.default.svc.cluster.local',
      jwks: { keys: [jwkOf('rsa'), jwkOf('ed25519'), KEY] as never },
      claims: { sub: 'system:serviceaccount:ci:runner' },
    },
  ],
  ['another', { issuer: 'https://ci.example/', claims: { sub: 'a', 'https://ci.example/team': ['b', 'c'] } }],
])('a rule for %s is what was given, with an audience of its own', async (_, given) => {
  const rule = await create(given);
  expect(rule).toMatchObject({
    ...{ name: 'CI', claims: given.claims, userId: owner.user.id, ttlSeconds: 900, reuse: 1, disabled: false },
    ...{ permissions: PERMISSIONS, projects: null, lastUsedAt: null },
    audience: `https://worktrack.example/trust/${rule.id}`,
  });
  const listed = await keys.call('trustRules.list', {}, owner);
  expect(listed.find(({ id }) => id === rule.id)).toEqual(rule);
  await keys.call('trustRules.delete', { id: rule.id }, owner);
  expect(await codeOf(keys.call('trustRules.delete', { id: rule.id }, owner))).toBe('NOT_FOUND');
});

const GENERIC = { issuer: 'https://ci.example', claims: { sub: 'a', team: 'b' } };

describe('nobody gives more than they hold', () => {
  async function identityWith(given: Omit<Parameters<typeof keys.call<'keys.create'>>[1], 'name'>): Promise<Identity> {
    const { key } = await keys.call('keys.create', { name: 'Narrow', ...given }, owner);
    return keys.identityOf(key);
  }
  const change = (rule: TrustRule, given: object, by: Identity) =>
    codeOf(keys.call('trustRules.update', { id: rule.id, ...given }, by));

  test('a rule has at most the permissions of the key that makes it, by default all of them', async () => {
    const maker = await identityWith({ permissions: ['api-keys:write', 'work-items:read'] });
    expect((await create(GENERIC, maker)).permissions).toEqual(['work-items:read', 'api-keys:write']);
    expect(await codeOf(create({ ...GENERIC, permissions: ['work-items:write'] }, maker))).toBe('PERMISSION_DENIED');
  });

  test('a key changes, stops and deletes no rule that holds more, and gives it nothing', async () => {
    const rule = await create(GENERIC);
    const maker = await identityWith({ permissions: ['api-keys:write'] });
    expect(await change(rule, { name: 'Mine' }, maker)).toBe('PERMISSION_DENIED');
    expect(await change(rule, { claims: { sub: 'evil', team: 'b' } }, maker)).toBe('PERMISSION_DENIED');
    expect(await change(rule, { disabled: true }, maker)).toBe('PERMISSION_DENIED');
    expect(await codeOf(keys.call('trustRules.delete', { id: rule.id }, maker))).toBe('PERMISSION_DENIED');
    const own = await create(GENERIC, maker);
    expect(await change(own, { permissions: ['users:write'] }, maker)).toBe('PERMISSION_DENIED');
    expect(await change(own, { name: 'Mine' }, maker)).toBe('ok');
  });

  test('a rule of another user takes users:write, to make it and to change whom it trusts', async () => {
    const { id: userId } = await keys.call(
      'users.create',
      { email: `${uuidv7()}@example.com`, name: 'Bob', role: 'member' },
      owner,
    );
    const permissions = ['work-items:read'] as const;
    const maker = await identityWith({ permissions: ['api-keys:write', 'work-items:read'] });
    expect(await codeOf(create({ ...GENERIC, permissions: [...permissions], userId }, maker))).toBe(
      'PERMISSION_DENIED',
    );
    const rule = await create({ ...GENERIC, permissions: [...permissions], userId });
    expect(await change(rule, { claims: { sub: 'evil', team: 'b' } }, maker)).toBe('PERMISSION_DENIED');
    expect(await change(rule, { disabled: true }, maker)).toBe('ok');
    expect(await codeOf(create({ ...GENERIC, userId: uuidv7() }))).toBe('NOT_FOUND');
  });

  test('a key that ends makes no rule, which would outlive it', async () => {
    const maker = await identityWith({ expiresInDays: 1 });
    await expect(create(GENERIC, maker)).rejects.toMatchObject({ code: 'PERMISSION_DENIED', message: /no end/ });
  });

  test('a key with a rate of its own passes it on', async () => {
    const maker = await identityWith({ rateLimit: { requests: 10 } });
    expect((await create(GENERIC, maker)).rateLimit).toEqual({ requests: 10, windowSeconds: 60 });
    expect(await codeOf(create({ ...GENERIC, rateLimit: { requests: 11 } }, maker))).toBe('PERMISSION_DENIED');
  });

  test('a rule of another organization does not exist', async () => {
    const rule = await create(GENERIC);
    const { owner: stranger } = await keys.organization();
    expect(await change(rule, { name: 'Mine' }, stranger)).toBe('NOT_FOUND');
    expect(await codeOf(keys.call('trustRules.delete', { id: rule.id }, stranger))).toBe('NOT_FOUND');
    expect(await keys.call('trustRules.list', {}, stranger)).toEqual([]);
  });
});

test('a change is checked as a whole, and changes what was given alone', async () => {
  const rule = await create({ preset: 'github', claims: { ...GITHUB, ref: 'refs/heads/main' } });
  const change = (given: object) => keys.call('trustRules.update', { id: rule.id, ...given }, owner);
  expect(await codeOf(change({ claims: GITHUB }))).toBe('VALIDATION_FAILED');
  expect(await codeOf(change({ preset: 'kubernetes' }))).toBe('VALIDATION_FAILED');
  const claims = { ...GITHUB, environment: 'prod' };
  expect(await change({ claims, reuse: 3 })).toEqual({ ...rule, claims, reuse: 3 });
  expect(await change({ jwks })).toMatchObject({ jwks: { keys: [{ kty: 'EC', crv: 'P-256', kid: 'one' }] } });
  expect(await change({ jwks: null, disabled: true })).toEqual({ ...rule, claims, reuse: 3, disabled: true });
});

test('there are at most so many, also if many are made at once', async () => {
  const { owner: other } = await keys.organization();
  const made = await create(GENERIC, other);
  const stored = await TrustRuleModel.findOne({ organizationId: other.organization.id, _id: made.id }).lean();
  await TrustRuleModel.insertMany(copiesOf(stored, MAX_TRUST_RULES - 2));
  const outcomes = await Promise.all([1, 2, 3].map(() => codeOf(create(GENERIC, other))));
  expect(outcomes.toSorted()).toEqual(['CONFLICT', 'CONFLICT', 'ok']);
  await keys.call('trustRules.delete', { id: made.id }, other);
  expect(await codeOf(create(GENERIC, other))).toBe('ok');
});

test('the list of all of them is an answer of its own size, however much is in each', async () => {
  const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
  const { owner: other } = await keys.organization();
  const issuer = 'https://ci.example';
  const texts = (count: number, length: number) => Array.from({ length: count }, () => '\u6f22'.repeat(length));
  const padded = (length: number) => ({ ...KEY, alg: 'x'.repeat(length) });
  const jwksOf = (length: number) => ({ keys: Array.from({ length: 20 }, () => padded(length)) });
  const faults = faultsOf(createTrustRule.input, { name: 'CI', issuer, claims: { sub: texts(11, 500), team: 'b' } });
  expect(faults).toEqual([{ path: 'claims', message: 'must be at most 16384 bytes as JSON' }]);
  const tooMuch = { issuer, claims: { sub: 'a', team: 'b' }, jwks: jwksOf(MAX_KEPT_KEYS_BYTES / 20) };
  await expect(create(tooMuch, other)).rejects.toMatchObject({
    ...{ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'jwks.keys' }] } },
  });
  await create({ issuer, claims: { sub: texts(10, 500), team: 'b' }, jwks: jwksOf(1_450) }, other);
  const answer = Buffer.byteLength(JSON.stringify(await keys.call('trustRules.list', {}, other)));
  expect(answer).toBeGreaterThan(40_000);
  expect(answer * MAX_TRUST_RULES).toBeLessThan(MAX_ANSWER_BYTES);
});
