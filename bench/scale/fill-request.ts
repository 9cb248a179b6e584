/** Items of a tree. */
export const TREE = 1_000;
/** One item in this many has the rare word in its title, and all have the common one. */
export const RARE_EACH = 5_000;
export const RARE_WORD = 'sometimes';
export const COMMON_WORD = 'reference';

/** What the filler is asked to create. */
export interface FillRequest {
  readonly organizationId: string;
  readonly projectId: string;
  /** The number of the first item. */
  readonly first: number;
  /** How many: a multiple of TREE, or between 200 and TREE. */
  readonly count: number;
}
export interface FillAnswer {
  /** Some of them, evenly spread. */
  readonly items: readonly { readonly id: string; readonly taskId: string }[];
}
