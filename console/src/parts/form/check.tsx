import type { ComponentChildren } from 'preact';

interface CheckProps {
  readonly label: ComponentChildren;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** A line of a form that is ticked or not. */
export function Check({ label, checked, onChange }: CheckProps) {
  return (
    <label class="settings-check">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      {label}
    </label>
  );
}
