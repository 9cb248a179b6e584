import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// What axe does not look at: rings, marks without text, and text on what lies over a colour (WCAG 2.2, 1.4.3 and 1.4.11).

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const TOKENS = read('styles/tokens.css');
const THEMES = ['light', 'dark'] as const;
type Rgb = readonly [number, number, number];

function token(name: string, theme: (typeof THEMES)[number]): Rgb {
  const [, light, dark] = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(TOKENS) ?? [];
  const colour = (theme === 'light' ? light : dark) ?? '';
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as unknown as Rgb;
}
/** @param part from 0 to 1 */
const over = (colour: Rgb, part: number, below: Rgb) =>
  colour.map((value, at) => value * part + (below[at] as number) * (1 - part)) as unknown as Rgb;
function luminance(colour: Rgb): number {
  const [r, g, b] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(one: Rgb, other: Rgb): number {
  const [less, more] = [luminance(one), luminance(other)].toSorted((a, b) => a - b) as [number, number];
  return (more + 0.05) / (less + 0.05);
}
/** The number in front of a unit or a bracket, at which a pattern stops. */
const numberAt = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1]);

const SURFACES = ['surface-sunken', 'surface', 'surface-raised', 'accent-surface'] as const;
const AROUND_FIELDS = numberAt(TOKENS, /--focus-field:[^;]*var\(--accent\) (\d+)%/) / 100;
const CONTROLS = read('parts/controls.css');
const UNDER_KEYS = numberAt(CONTROLS, /\.button-main > kbd \{\s*background: rgb\(255 255 255 \/ ([\d.]+)\)/);

test.each(THEMES.flatMap((theme) => SURFACES.map((surface) => [theme, surface] as const)))(
  'in the %s theme, what has the focus, and the states of work, stand out from %s',
  (theme, surface) => {
    const below = token(surface, theme);
    const accent = token('accent', theme);
    expect(contrast(accent, below)).toBeGreaterThanOrEqual(3);
    expect(contrast(over(accent, AROUND_FIELDS, below), below)).toBeGreaterThanOrEqual(3);
    const [, unticked = ''] = /\[type="radio"\]\) \{[^}]*border: 1px solid var\(--([\w-]+)\)/.exec(CONTROLS) ?? [];
    expect(contrast(token(unticked, theme), below)).toBeGreaterThanOrEqual(3);
    for (const state of ['waiting', 'working', 'judged', 'done']) {
      expect(contrast(token(`state-${state}`, theme), below), state).toBeGreaterThanOrEqual(3);
    }
  },
);

test.each(THEMES)('in the %s theme, the key on a button of the accent is legible', (theme) => {
  const below = over([255, 255, 255], UNDER_KEYS, token('accent', theme));
  expect(contrast(token('accent-text', theme), below)).toBeGreaterThanOrEqual(4.5);
});
