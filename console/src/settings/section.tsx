import type { ComponentChildren } from 'preact';
import { Heading } from '../parts/page/heading.tsx';

interface SectionProps {
  readonly title: string;
  readonly help: string;
  /** What one can do here besides what the entries offer; nothing if one may not. */
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** What all sections have in common: what this one is about, and what can be created here. */
export function SettingsSection({ title, help, action, children }: SectionProps) {
  return (
    <div class="settings-section">
      <div class="settings-head">
        <div>
          <Heading title={title} />
          <p class="quiet">{help}</p>
        </div>
        {action}
      </div>
      {children}
    </div>
  );
}

/** Whether ended ones are listed too; it is in the address. */
export function EndedChoice({
  label,
  isChosen,
  onChoose,
}: {
  readonly label: string;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
}) {
  return (
    <div>
      <label class="settings-check quiet">
        <input type="checkbox" checked={isChosen} onChange={({ currentTarget }) => onChoose(currentTarget.checked)} />
        {label}
      </label>
    </div>
  );
}
