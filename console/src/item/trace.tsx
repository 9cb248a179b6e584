import type { getWorkItemTrace } from '@worktrack/contracts/gateway/trace';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { day } from '../language/format.ts';
import { Loaded } from '../parts/page/states.tsx';
import { ItemLink } from './item-link.tsx';
import { words } from './messages.ts';
import { Part } from './part.tsx';

/** From the feedback behind an item, through the idea, to what became of it. What the public wrote is text and nothing else. */
export function Trace({ item }: { readonly item: WorkItem }) {
  const trace = useQuery({
    key: ['trace', item.id],
    load: (signal) => call<typeof getWorkItemTrace>('GET /api/work-items/:id/trace', { id: item.id }, { signal }),
    follows: ({ subject, type }) =>
      subject.id === item.id || type === 'feedback.linked' || type === 'feedback.unlinked',
  });
  return (
    <Part title={words.trace}>
      <Loaded query={trace}>
        {({ idea, feedback, descendants }) => (
          <>
            {!idea && feedback.length === 0 && <p class="quiet">{words.noTrace}</p>}
            {idea && idea.id !== item.id && (
              <div>
                <h3>{words.idea}</h3>
                <ItemLink item={idea} />
              </div>
            )}
            {feedback.length > 0 && (
              <div>
                <h3>{words.feedback}</h3>
                <ul class="plain stack">
                  {feedback.map(({ id, createdAt, untrustedText }) => (
                    <li key={id}>
                      <p class="quiet">{day(createdAt)}</p>
                      <p class="item-public" dir="auto">
                        {untrustedText.message}
                      </p>
                    </li>
                  ))}
                </ul>
              </div>
            )}
            {descendants.length > 0 && (
              <div>
                <h3>{words.madeOfIt}</h3>
                <ul class="plain stack item-made">
                  {descendants.map((each) => (
                    <li key={each.id}>
                      <ItemLink item={each} />
                    </li>
                  ))}
                </ul>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Part>
  );
}
