import type { listLabels } from '@worktrack/contracts/projects/label-operations';
import { call } from '../../api/call.ts';
import { queries, useQuery } from '../../api/query.ts';
import { may } from '../../session.ts';

/** Told apart at a glance, and by people who see few colours; each has a contrast of 3 : 1 with what it lies on, in both themes. */
export const LABEL_COLOURS: readonly string[] = [
  ...['#1f6feb', '#b35900', '#1a7f37', '#8250df', '#cf222e', '#0e7490', '#9a6700', '#bf3989'],
];

const load = (id: string, signal: AbortSignal) =>
  call<typeof listLabels>('GET /api/projects/:id/labels', { id }, { signal });

/** As they are known; if they are not read yet, once they are. */
export const labelsOf = (projectId: string) =>
  queries.ensureQueryData({ queryKey: ['labels', projectId], queryFn: ({ signal }) => load(projectId, signal) });

/** @param enabled false: does not request them yet */
export function useLabels(projectId: string, enabled = true) {
  return useQuery({
    key: ['labels', projectId],
    load: (signal) => load(projectId, signal),
    follows: ({ subject }) => subject.kind === 'project' && subject.id === projectId,
    enabled: enabled && may('projects:read'),
  });
}
