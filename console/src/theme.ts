import { effect, signal } from '@preact/signals';
import { keep, kept } from './kept.ts';

/** `system`: follows the visitor's system. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEPT_AS = 'theme';

export const theme = signal<Theme>(THEMES.find((known) => known === kept(KEPT_AS)) ?? 'system');

export function chooseTheme(chosen: Theme): void {
  keep(KEPT_AS, chosen);
  theme.value = chosen;
}

effect(() => {
  const { dataset } = document.documentElement;
  if (theme.value === 'system') delete dataset.theme;
  else dataset.theme = theme.value;
});
