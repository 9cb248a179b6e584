/** A label of an item: its colour beside its name, which is legible whatever the colour. */
export function Label({ name, colour }: { readonly name: string; readonly colour: string | undefined }) {
  return (
    <span class="tag tag-label">
      <span class="tag-dot" aria-hidden="true" style={{ background: colour ?? 'currentColor' }} />
      {name}
    </span>
  );
}
