interface LabelProps {
  readonly name: string;
  readonly colour: string | undefined;
}

/** A label of an item: its colour beside its name, which is legible whatever the colour. */
export function Label({ name, colour }: LabelProps) {
  return (
    <span class="tag tag-label" title={name}>
      <LabelDot colour={colour} />
      <span class="tag-text">{name}</span>
    </span>
  );
}

export function LabelDot({ colour }: Pick<LabelProps, 'colour'>) {
  return <span class="tag-dot" aria-hidden="true" style={{ background: colour ?? 'currentColor' }} />;
}
