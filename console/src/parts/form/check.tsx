import type { ComponentChildren } from 'preact';

interface CheckProps {
  readonly class?: string;
  readonly label: ComponentChildren;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** A line of a form that is ticked or not. */
export function Check({ class: className = 'settings-check', label, checked, onChange }: CheckProps) {
  return (
    <label class={className}>
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      {label}
    </label>
  );
}

/** The same in a popup. */
export const Tick = (props: CheckProps) => <Check class="popup-tick" {...props} />;
