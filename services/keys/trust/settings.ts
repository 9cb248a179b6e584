import type { Destinations } from '@worktrack/runtime/outbound/destination';

/** What rules of trust depend on besides what is stored. */
export interface TrustSettings {
  /** Where clients reach the service: part of each rule's audience. */
  readonly publicUrl: string;
  /** Where issuers may be asked for their keys. */
  readonly destinations: Destinations;
}

export function audienceOf(ruleId: string, { publicUrl }: Pick<TrustSettings, 'publicUrl'>): string {
  return `${publicUrl.replace(/\/+$/, '')}/trust/${ruleId}`;
}

/** @param aud as a token has it: one audience, alone or in a list. @returns the id of the rule that it names */
export function ruleOfAudience(aud: unknown, settings: Pick<TrustSettings, 'publicUrl'>): string | undefined {
  const [audience, ...more] = [aud].flat();
  if (typeof audience !== 'string' || more.length > 0) return undefined;
  const id = audience.slice(audience.lastIndexOf('/') + 1);
  return audience === audienceOf(id, settings) ? id : undefined;
}
