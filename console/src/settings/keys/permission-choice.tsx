import type { Permission } from '@worktrack/contracts/permissions';
import { Button } from '../../parts/button.tsx';
import { words } from './messages.ts';

const VERBS = ['read', 'write'] as const;

type Area = Permission extends `${infer Name}:${string}`
  ? Permission extends `${Name}:${string}`
    ? Name
    : never
  : never;

interface PermissionChoiceProps {
  /** Nobody can give away more than they hold. */
  readonly offered: readonly Permission[];
  readonly chosen: readonly Permission[];
  readonly presets: readonly { readonly label: string; readonly permissions: readonly Permission[] }[];
  readonly onChoose: (chosen: readonly Permission[]) => void;
}

/** What a key may do: by area, reading and writing. */
export function PermissionChoice({ offered, chosen, presets, onChoose }: PermissionChoiceProps) {
  const areas = [...new Set(offered.map((permission) => permission.split(':')[0] as Area))];
  const among = (wanted: readonly Permission[]) => offered.filter((permission) => wanted.includes(permission));
  const toggle = (permission: Permission) =>
    onChoose(chosen.includes(permission) ? chosen.filter((each) => each !== permission) : [...chosen, permission]);
  return (
    <fieldset class="field">
      <legend class="label">{words.permissions}</legend>
      <div class="row">
        {presets.map(({ label, permissions }) => (
          <Button
            key={label}
            text={label}
            aria-pressed={isSame(chosen, among(permissions))}
            onClick={() => onChoose(among(permissions))}
          />
        ))}
      </div>
      <table class="table settings-permissions">
        <tbody>
          {areas.map((area) => (
            <tr key={area}>
              <th scope="row">{words[area]}</th>
              {VERBS.map((verb) => {
                const permission = offered.find((each) => each === `${area}:${verb}`);
                return (
                  <td key={verb}>
                    {permission && (
                      <label class="settings-check">
                        <input
                          type="checkbox"
                          aria-label={`${words[area]}: ${words[verb]}`}
                          checked={chosen.includes(permission)}
                          onChange={() => toggle(permission)}
                        />
                        {words[verb]}
                      </label>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </fieldset>
  );
}

function isSame(one: readonly Permission[], other: readonly Permission[]): boolean {
  return one.length === other.length && one.every((permission) => other.includes(permission));
}
