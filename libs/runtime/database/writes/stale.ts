/** What a rule relied on no longer holds: its call must run again from the start. */
export class Stale extends Error {}
