import type { getWorkItem } from '@worktrack/contracts/work-items/get';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { isGone } from '../api/service-error.ts';
import { attempt } from '../parts/busy.ts';
import { IconButton } from '../parts/button.tsx';
import { closeIcon } from '../parts/icons.ts';
import { words as common } from '../parts/messages.ts';
import { to } from '../router.ts';
import { unlink } from './links.ts';
import { words } from './messages.ts';

interface LinkedIdeaProps {
  readonly feedbackId: string;
  readonly id: string;
  readonly mayUnlink: boolean;
}

export function LinkedIdea({ feedbackId, id, mayUnlink }: LinkedIdeaProps) {
  const idea = useQuery({
    key: ['item', id],
    load: (signal) => call<typeof getWorkItem>('GET /api/work-items/:id', { id }, { signal }),
    follows: ({ subject }) => subject.id === id,
  });
  const isDeleted = idea.isError && isGone(idea.error);
  const name = isDeleted ? words.deletedIdea : (idea.data?.taskId ?? id);
  const remove = () => attempt(words.notChanged, () => unlink({ feedbackId, workItemId: id }, isDeleted));
  return (
    <li class="row">
      {idea.data && !isDeleted ? (
        <a href={to(`items/${id}`)}>
          {name} {idea.data.title}
        </a>
      ) : (
        <span class="quiet">{idea.isError ? name : common.loading}</span>
      )}
      {mayUnlink && (idea.data || isDeleted) && (
        <IconButton of={closeIcon} name={`${words.unlink}: ${name}`} onClick={() => void remove()} />
      )}
    </li>
  );
}
