import { SelectField } from '../parts/form/select.tsx';
import { words } from './messages.ts';

const HOURS = [0, 1, 24, 168] as const;

/** How long what is replaced still holds, until everybody who uses it has the new one. */
export function Overlap(props: {
  readonly label: string;
  readonly mostHours: number;
  readonly hours: string;
  readonly onChoose: (hours: string) => void;
}) {
  return (
    <SelectField
      label={props.label}
      value={props.hours}
      options={HOURS.filter((n) => n <= props.mostHours).map((n) => [
        String(n),
        n === 0 ? words.notAtAll : words.hours({ n }),
      ])}
      onChoose={props.onChoose}
    />
  );
}
