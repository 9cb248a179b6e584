/** The first message of a solver that has started: a worker that the page's policy refuses never sends it. */
export const READY = 'ready';
/** Where the solver is found when it runs as a script in the page. */
export const SOLVER = Symbol.for('worktrack.feedback.solver');

export interface SolverRequest {
  readonly challenge: unknown;
}
export type SolverReply = { readonly token: string } | { readonly error: string };
export type Solve = (challenge: unknown) => Promise<string>;
