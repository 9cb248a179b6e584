import type { ComponentChildren } from 'preact';

interface PartProps {
  readonly title: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A part of an item's page, with its heading. */
export function Part({ title, class: className = '', children }: PartProps) {
  return (
    <section class={`item-part stack ${className}`} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
