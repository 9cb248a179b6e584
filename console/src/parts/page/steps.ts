export type Step = readonly [across: number, down: number];

/** Where the arrow keys lead among cards. */
export const STEPS: Readonly<Record<string, Step>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
