import type { ComponentChildren } from 'preact';

interface FactProps {
  readonly name: string;
  readonly children: ComponentChildren;
}

/** One of a description list; nothing where there is none. */
export function Fact({ name, children }: FactProps) {
  if (children === null || children === '') return null;
  return (
    <div>
      <dt class="quiet">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
