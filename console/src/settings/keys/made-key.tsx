import type { CreatedApiKey } from '@worktrack/contracts/keys/records';
import { ShownOnce } from '../shown-once.tsx';
import { words } from './messages.ts';

export function MadeKey({ made, onClose }: { readonly made: CreatedApiKey; readonly onClose: () => void }) {
  return <ShownOnce title={words.made({ name: made.name })} secret={made.key} copy={words.copyKey} onClose={onClose} />;
}
