import { effect, signal } from '@preact/signals';
import { keep, kept } from './kept.ts';

/** How large everything is: 13 and 14 px, or 16 px (styles/tokens.css). */
export const DENSITIES = ['compact', 'comfortable'] as const;
export type Density = (typeof DENSITIES)[number];

const KEPT_AS = 'density';

/** The one chosen here before; else fingers get the larger one. */
export const density = signal<Density>(
  DENSITIES.find((known) => known === kept(KEPT_AS)) ??
    (matchMedia('(pointer: coarse)').matches ? 'comfortable' : 'compact'),
);

export function chooseDensity(chosen: Density): void {
  keep(KEPT_AS, chosen);
  density.value = chosen;
}

effect(() => {
  document.documentElement.dataset.density = density.value;
});
