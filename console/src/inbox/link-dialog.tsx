import type { listWorkItems } from '@worktrack/contracts/work-items/lists/list';
import { useId, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { Loaded } from '../parts/page/states.tsx';
import { Dialog } from '../parts/popup/dialog.tsx';
import { tellFailure } from '../parts/popup/toasts.tsx';
import { link } from './links.ts';
import { words } from './messages.ts';

const SHOWN = 20;

/** Finds the idea that a submission belongs to. */
export function LinkDialog({ feedbackId, onClose }: { readonly feedbackId: string; readonly onClose: () => void }) {
  const field = useId();
  const [typed, setTyped] = useState('');
  const search = typed.trim();
  const ideas = useQuery({
    key: ['ideas', search],
    load: (signal) =>
      call<typeof listWorkItems>(
        'GET /api/work-items',
        { type: 'idea', limit: SHOWN, search: search || undefined },
        { signal },
      ),
    follows: ({ subject }) => subject.kind === 'work_item',
    keepsEarlier: true,
  });
  const choose = async (workItemId: string) => {
    onClose();
    await link({ feedbackId, workItemId }).catch((error) => tellFailure(words.notChanged, error));
  };
  return (
    <Dialog title={words.link} onClose={onClose}>
      <div class="field">
        <label for={field}>{words.findIdea}</label>
        <input
          id={field}
          class="input"
          type="search"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </div>
      <Loaded query={ideas}>
        {({ workItems }) =>
          workItems.length === 0 ? (
            <p class="quiet">{words.noIdea}</p>
          ) : (
            <ul class="plain">
              {workItems.map(({ id, taskId, title }) => (
                <li key={id}>
                  <button type="button" class="inbox-entry" onClick={() => void choose(id)}>
                    <span class="quiet">{taskId}</span> <bdi>{title}</bdi>
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  );
}
