import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { useEffect, useState } from 'preact/hooks';
import { draftsFor } from '../parts/form/draft.ts';
import { words } from './messages.ts';

/** What was being written when somebody else deleted the item, to be copied: it is not lost with it. */
export function Begun({ of }: { readonly of: WorkItem | undefined }) {
  const [texts, setTexts] = useState<string[]>([]);
  // Once the fields are gone: they keep what was typed last as they go.
  useEffect(() => setTexts(of ? draftsFor([of.id, of.taskId]) : []), [of]);
  return texts.map((text) => <textarea key={text} class="input" aria-label={words.unsaved} readOnly value={text} />);
}
