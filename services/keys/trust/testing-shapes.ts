import type { createTrustRule } from '@worktrack/contracts/keys/trust-rules';
import type { RawInput } from '@worktrack/contracts/operation';
import { uuidv7 } from '@worktrack/runtime/process/uuid';

type Json = Readonly<Record<string, unknown>>;
type Rule = Omit<RawInput<typeof createTrustRule>, 'name'>;

/** A claim set of an issuer, and a rule that a team would make for it. */
export interface Shape {
  readonly name: string;
  readonly rule: Rule;
  /** Besides `iss` and `aud`; an hour's life unless it says otherwise. */
  readonly token: (nowSeconds: number) => Json;
}

const shape = (name: string, rule: Rule, claims: Json, lifeSeconds = 300): Shape => ({
  name,
  rule,
  token: (now) => ({ jti: uuidv7(), iat: now, nbf: now - 600, exp: now + lifeSeconds, ...claims }),
});

/** https://docs.github.com/en/actions/reference/security/oidc */
const GITHUB = {
  sub: 'repo:octo-org/octo-repo:ref:refs/heads/main',
  ref: 'refs/heads/main',
  sha: 'example-sha',
  repository: 'octo-org/octo-repo',
  repository_owner: 'octo-org',
  actor_id: '12',
  repository_visibility: 'private',
  repository_id: '74',
  repository_owner_id: '65',
  run_id: '9876543210',
  run_number: '10',
  run_attempt: '2',
  runner_environment: 'github-hosted',
  actor: 'octocat',
  workflow: 'ci',
  head_ref: '',
  base_ref: '',
  event_name: 'push',
  ref_type: 'branch',
  ref_protected: 'true',
  job_workflow_ref: 'octo-org/octo-repo/.github/workflows/ci.yml@refs/heads/main',
  job_workflow_sha: 'example-sha',
  workflow_ref: 'octo-org/octo-repo/.github/workflows/ci.yml@refs/heads/main',
  workflow_sha: 'example-sha',
  check_run_id: '123456',
};
const IDS = { repository_id: '74', repository_owner_id: '65' };
const github = (name: string, claims: Rule['claims'], token: Json = {}, more: Partial<Rule> = {}): Shape =>
  shape(`GitHub: ${name}`, { preset: 'github', ...more, claims: { ...IDS, ...claims } }, { ...GITHUB, ...token });
const SUB_WITH_IDS = 'repo:octo-org@65/octo-repo@74:ref:refs/heads/main';
const MAIN = { ref: 'refs/heads/main' };
const SHARED = 'octo-org/octo-automation/.github/workflows/oidc.yml@refs/heads/main';
const PRODUCTION = { environment: 'production', sub: 'repo:octo-org/octo-repo:environment:production' };

const OF_GITHUB = [
  github('a push', MAIN),
  github('a push, by its sub too', { ...MAIN, sub: GITHUB.sub }),
  github('a push, whose sub has ids', MAIN, { sub: SUB_WITH_IDS }),
  github('a push, by the sub with ids too', { ...MAIN, sub: SUB_WITH_IDS }, { sub: SUB_WITH_IDS }),
  github('either form of the sub', { ...MAIN, sub: [GITHUB.sub, SUB_WITH_IDS] }, { sub: SUB_WITH_IDS }),
  github("a sub of the organization's own form", MAIN, { sub: 'repository_owner:octo-org:workflow:ci' }),
  github('an environment', { environment: 'production' }, PRODUCTION),
  github('one of several environments', { environment: ['staging', 'production'] }, PRODUCTION),
  github('a tag', { ref: 'refs/tags/v*' }, { ref: 'refs/tags/v1.2.3', ref_type: 'tag', event_name: 'release' }),
  github(
    'a release branch',
    { ref: 'refs/heads/release/*' },
    { ref: 'refs/heads/release/2026/07', event_name: 'workflow_dispatch' },
  ),
  github('a workflow on any branch', { workflow_ref: 'octo-org/octo-repo/.github/workflows/ci.yml@refs/heads/*' }),
  github('a reusable workflow', { job_workflow_ref: SHARED }, { job_workflow_ref: SHARED }),
  github(
    'a reusable workflow at a tag',
    { job_workflow_ref: 'octo-org/octo-automation/.github/workflows/oidc.yml@refs/tags/v1*' },
    { job_workflow_ref: 'octo-org/octo-automation/.github/workflows/oidc.yml@refs/tags/v1.4' },
  ),
  github('a schedule', { ...MAIN, event_name: 'schedule' }, { event_name: 'schedule' }),
  github(
    'a pull request, in an environment',
    { environment: 'preview' },
    {
      environment: 'preview',
      event_name: 'pull_request',
      ref: 'refs/pull/7/merge',
      head_ref: 'feature',
      base_ref: 'main',
    },
  ),
  github(
    'the target of a pull request, where the rule names it',
    { ...MAIN, event_name: 'pull_request_target' },
    { event_name: 'pull_request_target' },
  ),
  github(
    'a workflow after another, where the rule names it',
    { ...MAIN, event_name: ['push', 'workflow_run'] },
    { event_name: 'workflow_run' },
  ),
  github('a runner of its own', { ...MAIN, runner_environment: 'self-hosted' }, { runner_environment: 'self-hosted' }),
  github(
    'an enterprise',
    MAIN,
    { enterprise: 'octo-enterprise', enterprise_id: '3' },
    { issuer: 'https://token.actions.githubusercontent.com/octo-enterprise' },
  ),
  github(
    'an Enterprise Server',
    MAIN,
    { enterprise: 'octo', check_run_id: undefined },
    { issuer: 'https://github.example.com/_services/token' },
  ),
  github('a subdomain of ghe.com', MAIN, { sub: SUB_WITH_IDS }, { issuer: 'https://token.actions.octocorp.ghe.com' }),
];

/** https://docs.gitlab.com/ci/secrets/id_token_authentication/#token-payload */
const GITLAB = {
  namespace_id: '72',
  namespace_path: 'my-group',
  project_id: '20',
  project_path: 'my-group/my-project',
  user_id: '1',
  user_login: 'sample-user',
  user_email: 'sample-user@example.com',
  user_access_level: 'maintainer',
  user_identities: [{ provider: 'github', extern_uid: '2435223452345' }],
  pipeline_id: '574',
  pipeline_source: 'push',
  job_id: '302',
  ref: 'main',
  ref_type: 'branch',
  ref_path: 'refs/heads/main',
  ref_protected: 'true',
  groups_direct: ['mygroup/mysubgroup', 'myothergroup/myothersubgroup'],
  runner_id: 1,
  runner_environment: 'gitlab-hosted',
  sha: 'example-sha',
  project_visibility: 'public',
  ci_config_ref_uri: 'gitlab.com/my-group/my-project//.gitlab-ci.yml@refs/heads/main',
  ci_config_sha: 'example-sha',
  sub: 'project_path:my-group/my-project:ref_type:branch:ref:main',
};
const PROJECT = { project_id: '20', namespace_id: '72', ref_protected: 'true' };
const gitlab = (name: string, claims: Rule['claims'], token: Json = {}, more: Partial<Rule> = {}): Shape =>
  shape(`GitLab: ${name}`, { preset: 'gitlab', ...more, claims: { ...PROJECT, ...claims } }, { ...GITLAB, ...token });

const OF_GITLAB = [
  gitlab('a protected branch', {}),
  gitlab('one branch', { ref: 'main', ref_type: 'branch' }),
  gitlab('a tag', { ref_type: 'tag' }, { ref: 'v1.0', ref_type: 'tag', ref_path: 'refs/tags/v1.0' }),
  gitlab(
    'an environment',
    { environment: 'production' },
    { environment: 'production', environment_protected: 'true', deployment_tier: 'production' },
  ),
  gitlab('a schedule', { pipeline_source: 'schedule' }, { pipeline_source: 'schedule' }),
  gitlab('ids as numbers', {}, { project_id: 20, namespace_id: 72 }),
  gitlab('a flag that is none of text', {}, { ref_protected: true }),
  gitlab('a server of its own', {}, {}, { issuer: 'https://gitlab.example.com' }),
  gitlab('a job of one hour', {}, {}, { reuse: 4 }),
  gitlab('no identities', { sub: GITLAB.sub }, { user_identities: undefined, groups_direct: [] }),
];

/** https://buildkite.com/docs/pipelines/security/oidc */
const BUILDKITE = {
  sub: 'organization:acme-inc:pipeline:super-duper-app:ref:refs/heads/main:commit:example:step:build',
  organization_slug: 'acme-inc',
  organization_id: '0184990a-477b-4fa8-9968-496074483cee',
  pipeline_slug: 'super-duper-app',
  pipeline_id: '0184990a-4782-42b5-afc1-16715b10b8ff',
  build_number: 1,
  build_branch: 'main',
  build_tag: null,
  build_commit: 'example',
  build_source: 'webhook',
  step_key: 'build',
  job_id: '0184990a-477b-4fa8-9968-496074483cf0',
  agent_id: '0184990a-4782-42b5-afc1-16715b10b8aa',
  runner_environment: 'self-hosted',
};
const PIPELINE = { organization_id: BUILDKITE.organization_id, pipeline_id: BUILDKITE.pipeline_id };
const buildkite = (name: string, claims: Rule['claims'], token: Json = {}): Shape =>
  shape(
    `Buildkite: ${name}`,
    { preset: 'buildkite', claims: { ...PIPELINE, ...claims } },
    { ...BUILDKITE, jti: undefined, ...token },
  );

const OF_BUILDKITE = [
  buildkite('a branch', { build_branch: 'main' }),
  buildkite('a step', { step_key: ['build', 'deploy'] }, { step_key: 'deploy' }),
  buildkite('a tag', { build_branch: 'v1.0', build_tag: 'v1.0' }, { build_branch: 'v1.0', build_tag: 'v1.0' }),
  buildkite(
    'a schedule',
    { build_branch: 'main', build_source: 'schedule' },
    { build_source: 'schedule', step_key: null },
  ),
  buildkite('a number', { build_branch: 'main', build_number: '1' }),
];

/** https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-tokens; 3 607 s is what a kubelet asks for. */
const pod = (name: string, issuer: string, token: Json = {}, lifeSeconds = 3_607): Shape =>
  shape(
    `Kubernetes: ${name}`,
    { preset: 'kubernetes', issuer, claims: { sub: 'system:serviceaccount:ci:runner' } },
    {
      sub: 'system:serviceaccount:ci:runner',
      'kubernetes.io': {
        namespace: 'ci',
        node: { name: 'node-1', uid: uuidv7() },
        pod: { name: 'runner-1', uid: uuidv7() },
        serviceaccount: { name: 'runner', uid: uuidv7() },
        warnafter: 1_700_000_000,
      },
      ...token,
    },
    lifeSeconds,
  );

const OF_KUBERNETES = [
  pod('a cluster of its own', 'https://kubernetes.default.svc.cluster.local'),
  pod('EKS', 'https://oidc.eks.eu-central-1.amazonaws.com/id/EXAMPLED539D4633E53DE1B71EXAMPLE', {}, 86_400),
  pod('GKE', 'https://container.googleapis.com/v1/projects/p/locations/europe-west3/clusters/c'),
  pod('AKS', 'https://germanywestcentral.oic.prod-aks.azure.com/tenant/cluster/'),
  pod('an earlier version, without a jti', 'https://kubernetes.default.svc', { jti: undefined, nbf: undefined }),
];

const other = (name: string, issuer: string, claims: Rule['claims'], token: Json): Shape =>
  shape(name, { issuer, claims }, token);

const OF_OTHERS = [
  other(
    'CircleCI',
    'https://oidc.circleci.com/org/0184990a',
    { 'oidc.circleci.com/project-id': '7', 'oidc.circleci.com/vcs-ref': 'refs/heads/main' },
    {
      sub: 'org/0184990a/project/7/user/1',
      'oidc.circleci.com/project-id': '7',
      'oidc.circleci.com/context-ids': ['9'],
      'oidc.circleci.com/vcs-ref': 'refs/heads/main',
    },
  ),
  other(
    'Google Cloud',
    'https://accounts.google.com',
    { sub: '113328', email: 'ci@example.iam.gserviceaccount.com', email_verified: 'true' },
    { sub: '113328', azp: '113328', email: 'ci@example.iam.gserviceaccount.com', email_verified: true },
  ),
  other(
    'Forgejo',
    'https://forgejo.example/api/actions',
    { repository_id: '5', ref: 'refs/heads/main' },
    { ...GITHUB, repository_id: 5, sub: 'repo:team/app:ref:refs/heads/main' },
  ),
];

export const shapes: readonly Shape[] = [...OF_GITHUB, ...OF_GITLAB, ...OF_BUILDKITE, ...OF_KUBERNETES, ...OF_OTHERS];
