import type { listSources } from '@worktrack/contracts/feedback/sources';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';

export function useSources() {
  return useQuery({
    key: ['sources'],
    load: (signal) => call<typeof listSources>('GET /api/feedback/sources', {}, { signal }),
    follows: ({ subject }) => subject.kind === 'source',
  });
}
