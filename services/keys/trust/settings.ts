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
