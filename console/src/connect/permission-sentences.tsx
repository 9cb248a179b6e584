import type { Permission } from '@worktrack/contracts/permissions';
import { Button } from '../parts/button.tsx';
import { Check } from '../parts/form/check.tsx';
import { words } from './messages.ts';

interface PermissionSentencesProps {
  readonly offered: readonly Permission[];
  readonly chosen: readonly Permission[];
  /** What the app has been refused for lack of permission. */
  readonly missed: readonly Permission[];
  readonly onChoose: (chosen: Permission[]) => void;
}

/** What an app may do, by area, a sentence for each. */
export function PermissionSentences({ offered, chosen, missed, onChoose }: PermissionSentencesProps) {
  const areas = [...new Set(offered.map(areaOf))];
  const reading = offered.filter((each) => each.endsWith(':read'));
  const presets = [
    { label: words.readOnly, permissions: reading },
    { label: words.all, permissions: offered },
  ];
  return (
    <fieldset class="field">
      <legend class="label">{words.permissions}</legend>
      {reading.length > 0 && reading.length < offered.length && (
        <div class="row">
          {presets.map(({ label, permissions }) => (
            <Button
              key={label}
              text={label}
              // All are in the order in which they are offered.
              aria-pressed={`${permissions}` === `${chosen}`}
              onClick={() => onChoose([...permissions])}
            />
          ))}
        </div>
      )}
      <dl class="stack">
        {areas.map((area) => (
          <div key={area}>
            <dt>{words[`area:${area}` as keyof typeof words] as string}</dt>
            {offered
              .filter((each) => areaOf(each) === area)
              .map((permission) => (
                <dd key={permission}>
                  <Check
                    label={
                      <>
                        <span>{sentenceOf(permission)}</span>
                        {missed.includes(permission) && <span class="tag tag-warn">{words.missed}</span>}
                      </>
                    }
                    checked={chosen.includes(permission)}
                    onChange={(checked) =>
                      onChoose(offered.filter((each) => (each === permission ? checked : chosen.includes(each))))
                    }
                  />
                </dd>
              ))}
          </div>
        ))}
      </dl>
    </fieldset>
  );
}

const areaOf = (permission: Permission) => permission.split(':')[0] as string;

/** In a word of ours, which a later version of the service may have more of. */
export function sentenceOf(permission: Permission): string {
  return ((words as Readonly<Record<string, unknown>>)[permission] as string | undefined) ?? permission;
}
