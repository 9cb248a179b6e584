import type { TrustClaims, TrustPreset } from '@worktrack/contracts/keys/trust-rules';

const SEPARATOR = '=';
/** In place of an id that one does not know yet: it is valid, and nobody's. */
const NO_NUMBER = '0';
const NO_UUID = '00000000-0000-0000-0000-000000000000';

/** What a rule of each kind has to require at least. */
export const TEMPLATES: Readonly<Record<TrustPreset, TrustClaims>> = {
  github: { repository_id: NO_NUMBER, repository_owner_id: NO_NUMBER, ref: 'refs/heads/main' },
  gitlab: { project_id: NO_NUMBER, namespace_id: NO_NUMBER, ref_protected: 'true' },
  buildkite: { organization_id: NO_UUID, pipeline_id: NO_UUID, build_branch: 'main' },
  kubernetes: { sub: 'system:serviceaccount:default:deployer' },
  generic: { sub: '' },
};

/** A line for each claim, and one more for each alternative. */
export function textOf(claims: TrustClaims): string {
  return Object.entries(claims)
    .flatMap(([name, is]) => [is].flat().map((value) => `${name} ${SEPARATOR} ${value}`))
    .join('\n');
}

/** What is written in it; the service says what is wrong with it. */
export function claimsIn(text: string): TrustClaims {
  const values = new Map<string, string[]>();
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [name = '', ...rest] = line.split(SEPARATOR);
    values.set(name.trim(), [...(values.get(name.trim()) ?? []), rest.join(SEPARATOR).trim()]);
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] as string) : all]));
}

interface Failed {
  readonly at: string;
  readonly claim: string;
  readonly got: string;
}

const ID = /^(\d{1,20}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The ids that a refused token had, and the rule lacks: what a rule is often made without knowing. */
export function idsIn(claims: TrustClaims, entries: readonly Failed[]): readonly Failed[] {
  return entries.filter(({ claim, got }) => Object.hasOwn(claims, claim) && claim.endsWith('_id') && ID.test(got));
}

/** With these ids instead of those that the rule has, or besides them where it has several. */
export function withIds(claims: TrustClaims, ids: readonly Failed[]): TrustClaims {
  const taken = ids.map(({ claim, got }) => {
    const is = claims[claim];
    return [claim, Array.isArray(is) ? [...is, got] : got];
  });
  return { ...claims, ...Object.fromEntries(taken) };
}
