import type { TrustClaims, TrustPreset } from '@worktrack/contracts/keys/trust-rules';

/** What is wrong with a rule, phrased to follow the field's name. */
export interface RuleProblem {
  readonly path: string;
  readonly message: string;
}

const GITHUB = 'https://token.actions.githubusercontent.com';
const GITLAB = 'https://gitlab.com';
const BUILDKITE = 'https://agent.buildkite.com';

/** The issuer that a rule has unless it names one. */
export const DEFAULT_ISSUERS: Readonly<Partial<Record<TrustPreset, string>>> = {
  github: GITHUB,
  gitlab: GITLAB,
  buildkite: BUILDKITE,
};

/**
 * GitHub's own, with an enterprise's name behind it if that chose so; a subdomain of ghe.com; or an Enterprise Server.
 * https://docs.github.com/en/actions/reference/security/oidc and
 * https://docs.github.com/en/enterprise-server/actions/reference/security/oidc
 */
const GITHUB_ISSUERS = [
  /^https:\/\/token\.actions\.githubusercontent\.com(\/[A-Za-z0-9-]+)?$/,
  /^https:\/\/token\.actions\.[a-z0-9-]+\.ghe\.com$/,
  /^https:\/\/[a-z0-9.-]+(:\d+)?\/_services\/token$/,
];

/** Set by the rule itself, or different in every token. */
const NEVER_PINNED: ReadonlySet<string> = new Set(['iss', 'aud', 'exp', 'iat', 'nbf', 'jti']);

/** Events in which GitHub runs a workflow of the base branch on behalf of anybody who opens a pull request. */
export const EVENTS_OF_STRANGERS: readonly string[] = ['pull_request_target', 'workflow_run'];

/** One need of a preset. */
type Need = (claims: TrustClaims) => RuleProblem | undefined;

const DIGITS = /^\d{1,20}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const valuesOf = (claims: TrustClaims, name: string): readonly string[] =>
  Object.hasOwn(claims, name) ? [claims[name] ?? []].flat() : [];

/** @param otherwise the attack that a rule without it would allow */
function id(name: string, shape: RegExp, kind: string, otherwise: string): Need {
  return (claims) => {
    const values = valuesOf(claims, name);
    if (values.length > 0 && values.every((value) => shape.test(value))) return undefined;
    return { path: `claims.${name}`, message: `must be ${kind}: ${otherwise}` };
  };
}

function oneOf(names: readonly string[], otherwise: string): Need {
  return (claims) =>
    names.some((name) => Object.hasOwn(claims, name))
      ? undefined
      : { path: 'claims', message: `must have one of ${names.join(', ')}: ${otherwise}` };
}

const NEEDS: Readonly<Record<TrustPreset, readonly Need[]>> = {
  github: [
    id(
      'repository_id',
      DIGITS,
      "the repository's number",
      'a repository that is deleted and made again under the same name, by anybody, would be trusted by its name, also in `sub`',
    ),
    id(
      'repository_owner_id',
      DIGITS,
      "the owner's number",
      'an owner who is renamed leaves the name to whoever takes it next',
    ),
    oneOf(
      ['workflow_ref', 'job_workflow_ref', 'environment', 'ref'],
      'otherwise every workflow on every branch gets a token, also one that a pull request has just added',
    ),
    (claims) =>
      valuesOf(claims, 'ref').every((value) => value.startsWith('refs/'))
        ? undefined
        : {
            path: 'claims.ref',
            message: 'must be as in the tokens, such as refs/heads/main: no token has the name alone',
          },
  ],
  gitlab: [
    id(
      'project_id',
      DIGITS,
      "the project's number",
      'a project that is deleted and made again under the same path would be trusted',
    ),
    id(
      'namespace_id',
      DIGITS,
      "the group's number",
      'a project that is moved to another group would take the trust with it',
    ),
    (claims) => {
      const values = valuesOf(claims, 'ref_protected');
      if (values.length === 1 && values[0] === 'true') return undefined;
      return {
        path: 'claims.ref_protected',
        message:
          'must be "true": otherwise whoever may push any branch, or merge from a fork, gets a token by changing .gitlab-ci.yml there',
      };
    },
  ],
  buildkite: [
    id(
      'organization_id',
      UUID,
      "the organization's UUID",
      'an organization that is renamed leaves its slug to whoever takes it next',
    ),
    id(
      'pipeline_id',
      UUID,
      "the pipeline's UUID",
      'a pipeline that is deleted and made again under the same slug would be trusted',
    ),
    oneOf(
      ['build_branch', 'step_key'],
      "otherwise every build gets a token, also one of a fork's pull request if the pipeline builds these",
    ),
  ],
  kubernetes: [
    (claims) =>
      valuesOf(claims, 'sub').length > 0
        ? undefined
        : {
            path: 'claims.sub',
            message:
              'must be set, as system:serviceaccount:<namespace>:<name>: otherwise every pod of the cluster gets a token',
          },
  ],
  generic: [
    // Of two, one at least is not `sub`.
    (claims) => {
      if (Object.keys(claims).length >= 2) return undefined;
      return {
        path: 'claims',
        message:
          'must be at least two, besides `iss` and `aud`: with one alone, whoever the issuer gives that name to next, after it was deleted or renamed, is trusted',
      };
    },
  ],
};

interface Given {
  readonly preset: TrustPreset;
  readonly issuer: string | undefined;
  readonly claims: TrustClaims;
  readonly hasKeys: boolean;
}

/** The first reason why a rule would trust more than its maker means. */
export function problemOfRule(rule: Given): RuleProblem | undefined {
  return (
    problemOfIssuer(rule) ??
    problemOfNames(rule.claims) ??
    problemOfStars(rule.claims) ??
    NEEDS[rule.preset].map((need) => need(rule.claims)).find((problem) => problem !== undefined)
  );
}

function problemOfIssuer({ preset, issuer, hasKeys }: Given): RuleProblem | undefined {
  if (issuer === undefined) return { path: 'issuer', message: 'is required: the `iss` of the tokens' };
  if (preset === 'github' && !GITHUB_ISSUERS.some((shape) => shape.test(issuer))) {
    return {
      path: 'issuer',
      message: `must be ${GITHUB}, or https://<host>/_services/token of a GitHub Enterprise Server: the claims of another issuer mean something else`,
    };
  }
  if (preset === 'kubernetes' && !hasKeys) {
    return {
      path: 'jwks',
      message:
        'must hold the keys of the cluster (`kubectl get --raw /openid/v1/jwks`): many clusters have the same issuer, and its name alone tells none from another',
    };
  }
  const meant = GITHUB_ISSUERS.slice(0, 2).some((shape) => shape.test(issuer))
    ? 'github'
    : ({ [GITLAB]: 'gitlab', [BUILDKITE]: 'buildkite' } as const)[issuer.replace(/\/$/, '')];
  if (!meant || meant === preset) return undefined;
  return {
    path: 'preset',
    message: `must be ${meant} for this issuer: everybody can get tokens from it, and names in them can be taken over`,
  };
}

function problemOfNames(claims: TrustClaims): RuleProblem | undefined {
  const name = Object.keys(claims).find((each) => NEVER_PINNED.has(each));
  return name === undefined
    ? undefined
    : { path: `claims.${name}`, message: 'is checked of every token and cannot be a condition' };
}

const STAR = '*';
const REF_CLAIMS: ReadonlySet<string> = new Set(['ref', 'refs']);
const WORKFLOW_CLAIMS: ReadonlySet<string> = new Set(['workflow_ref', 'job_workflow_ref']);
const STARRED_REF = /^refs\/(heads|tags)\/[^*]*\*$/;

function problemOfStars(claims: TrustClaims): RuleProblem | undefined {
  for (const [name, is] of Object.entries(claims)) {
    for (const value of [is].flat()) {
      if (!value.includes(STAR)) continue;
      if (REF_CLAIMS.has(name) && STARRED_REF.test(value)) continue;
      if (WORKFLOW_CLAIMS.has(name)) {
        const { path, ref } = workflowOf(value);
        if (path !== '' && !path.includes(STAR) && STARRED_REF.test(ref)) continue;
      }
      return {
        path: `claims.${name}`,
        message: `must not have a ${STAR} here: it may only end ref, refs, and the part of workflow_ref and job_workflow_ref after the last @, after refs/heads/ or refs/tags/. Anywhere else it would let in names that others choose`,
      };
    }
  }
  return undefined;
}

/** `owner/repository/.github/workflows/file.yml@refs/heads/main`: a branch may hold an @ too, and is then none that a star is for. */
function workflowOf(value: string): { readonly path: string; readonly ref: string } {
  const at = value.lastIndexOf('@');
  return at < 0 ? { path: '', ref: '' } : { path: value.slice(0, at), ref: value.slice(at + 1) };
}

/** @param got what the token says */
export function claimHolds(name: string, is: string | readonly string[], got: string): boolean {
  return [is].flat().some((value) => {
    if (!value.endsWith(STAR)) return value === got;
    const begin = value.slice(0, -STAR.length);
    if (!WORKFLOW_CLAIMS.has(name)) return got.startsWith(begin);
    const [expected, actual] = [workflowOf(begin), workflowOf(got)];
    return expected.path === actual.path && actual.ref.startsWith(expected.ref);
  });
}
