import type { Board } from '@worktrack/contracts/projects/board';
import type { listGroups } from '@worktrack/contracts/work-items/lists/cards';
import type { listWorkItems } from '@worktrack/contracts/work-items/lists/list';
import type { JSX } from 'preact';
import { call } from '../../api/call.ts';
import { useQuery } from '../../api/query.ts';
import { choicesOf } from '../../parts/item/choices.tsx';
import { StateIcon, TypeIcon } from '../../parts/item/item-icons.tsx';
import { TYPES } from '../../parts/item/item-values.ts';
import { itemWords } from '../../parts/item/item-words.ts';
import { LabelDot } from '../../parts/item/label.tsx';
import { useLabels } from '../../parts/item/labels.ts';
import { Avatar } from '../../parts/people/avatar.tsx';
import { useActiveUsers } from '../../parts/people/people.ts';
import { type Field, NONE } from './filters.ts';
import { words } from './messages.ts';

type Option = readonly [value: string, name: string, icon?: JSX.Element];

const ME = 'me';
const WORK = ['working', 'awaiting_input', 'stalled'] as const;
const MAX_EPICS = 100;

/** What a filter can be narrowed to in a project. */
export function useOptions(field: Field, projectId: string, boards: readonly Board[]): readonly Option[] {
  const labels = useLabels(projectId, field === 'label').data ?? [];
  const epics = useQuery({
    key: ['epics', projectId],
    load: (signal) =>
      call<typeof listWorkItems>('GET /api/work-items', { projectId, type: 'epic', limit: MAX_EPICS }, { signal }),
    follows: (event) => event.subject.taskId?.includes('-E-') === true && event.projectId === projectId,
    enabled: field === 'epic',
  });
  const isAssignee = field === 'assignee';
  const users = useActiveUsers();
  // Agents are assigned by their names.
  const assigned = useQuery({
    key: ['assigned', projectId],
    load: (signal) =>
      call<typeof listGroups>('GET /api/projects/:id/cards/groups', { id: projectId, groupBy: 'assignee' }, { signal }),
    enabled: isAssignee,
  });
  switch (field) {
    case 'boardColumnId':
      return boards.flatMap(({ name: board, columns }) =>
        columns.map(
          ({ id, name, role }) =>
            [id, boards.length > 1 ? `${board}: ${name}` : name, <StateIcon key={id} role={role} />] as const,
        ),
      );
    case 'type':
      return TYPES.map((each) => [each, itemWords[each], <TypeIcon key={each} type={each} isNamed={false} />]);
    case 'assignee': {
      const named = (assigned.data?.groups ?? []).map(({ key }) => key).filter((key) => key !== NONE);
      const names = new Set([...users.map(({ name }) => name), ...named]);
      return [
        [ME, words.me],
        ...[...names].map((name) => [name, name, <Avatar key={name} name={name} />] as const),
        [NONE, words.nobody],
      ];
    }
    case 'leaseState':
      return [...WORK.map((each) => [each, itemWords[each]] as const), [NONE, words.noAgent]];
    case 'label':
      return [
        ...labels.map(({ id, name, colour }) => [id, name, <LabelDot key={id} colour={colour} />] as const),
        [NONE, words.noLabel],
      ];
    case 'epic':
      return [
        ...(epics.data?.workItems ?? []).map(({ taskId, title }) => [taskId, `${taskId} ${title}`] as const),
        [NONE, words.noEpic],
      ];
    default:
      // That it has none, lists are not narrowed to.
      return choicesOf(field).filter(([value]) => value !== '');
  }
}
