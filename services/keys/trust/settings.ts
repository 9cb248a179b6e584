import type { Destinations } from '@worktrack/runtime/outbound/destination';

/** What rules of trust depend on besides what is stored. */
export interface TrustSettings {
  /** Where clients reach the service: part of each rule's audience. */
  readonly publicUrl: string;
  /** Where issuers may be asked for their keys. */
  readonly destinations: Destinations;
}

export function audienceOf(ruleId: string, { publicUrl }: Pick<TrustSettings, 'publicUrl'>): string {
  return `${publicUrl}/trust/${ruleId}`;
}

/** @param aud as a token has it. @returns the id of the rule that it names, also among others: its owner is to see that such a token was refused */
export function ruleOfAudience(aud: unknown, settings: Pick<TrustSettings, 'publicUrl'>): string | undefined {
  const idOf = (audience: string) => audience.slice(audience.lastIndexOf('/') + 1);
  const named = [aud]
    .flat()
    .find((each): each is string => typeof each === 'string' && each === audienceOf(idOf(each), settings));
  return named === undefined ? undefined : idOf(named);
}
