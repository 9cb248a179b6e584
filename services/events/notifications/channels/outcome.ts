/** What became of telling something. `failed`: it may be tried again; `refused`: it is of no use. */
export type Outcome =
  | { readonly state: 'told' }
  | { readonly state: 'failed' | 'refused'; readonly why: string; readonly wishMs?: number | undefined };
