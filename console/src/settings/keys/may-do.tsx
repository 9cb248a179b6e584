import { PERMISSIONS, type Permission } from '@worktrack/contracts/permissions';
import { words } from './messages.ts';

/** What a key or a role allows, in a row of a list. */
export function MayDo({ permissions }: { readonly permissions: readonly Permission[] }) {
  return (
    <p class="quiet">
      {words.mayDo}: {permissions.length === PERMISSIONS.length ? words.everything : permissions.join(', ')}
    </p>
  );
}
