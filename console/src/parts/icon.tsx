import type { IconNode } from 'lucide';
import { h } from 'preact';

interface IconProps {
  /** One of icons.ts. */
  readonly of: IconNode;
  /** What it says where no text does; without it, screen readers pass over it. */
  readonly name?: string;
}

/**
 * Icons are Lucide's: one style, kept for years by many, and 150 bytes each. Its package for Preact is for an earlier version of Preact, so that only the
 * shapes are taken.
 */
export function Icon({ of, name }: IconProps) {
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: the attributes say it
    <svg class="icon" viewBox="0 0 24 24" {...named(name)}>
      {of.map(([tag, attributes]) => h(tag, attributes as object))}
    </svg>
  );
}

/** Attributes that give a drawing its name, or say that it has none. */
export function named(name: string | undefined) {
  return name === undefined ? ({ 'aria-hidden': 'true' } as const) : ({ role: 'img', 'aria-label': name } as const);
}
