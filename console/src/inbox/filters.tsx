import type { listSources } from '@worktrack/contracts/feedback/sources';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { number } from '../language/format.ts';
import { SearchField } from '../parts/search-field.tsx';
import { filter, setFilters } from '../router.ts';
import { CATEGORIES, COUNTED, filtersOfAddress, STATUSES, useCounts } from './feedback.ts';
import { words } from './messages.ts';

export function FilterChoices() {
  const counts = useCounts(filtersOfAddress());
  const sources = useQuery({
    key: ['sources'],
    load: (signal) => call<typeof listSources>('GET /api/feedback/sources', {}, { signal }),
    follows: ({ subject }) => subject.kind === 'source',
  });
  const status = filter('status');
  return (
    <search class="stack" aria-label={words.filters}>
      <fieldset class="row" aria-label={words.status}>
        <StatusChoice label={words.all} isChosen={status === undefined} value={undefined} />
        {STATUSES.map((each) => {
          const counted = counts.data?.[each];
          const count = counted && (counted.isMore ? `${number(COUNTED)}+` : number(counted.count));
          return (
            <StatusChoice
              key={each}
              label={count === undefined ? words[each] : `${words[each]} ${count}`}
              isChosen={status === each}
              value={each}
            />
          );
        })}
      </fieldset>
      <div class="row">
        <SearchField label={words.search} clears="item" />
        <select
          class="input input-inline"
          aria-label={words.category}
          value={filter('category') ?? ''}
          onChange={({ currentTarget }) => setFilters({ category: currentTarget.value || undefined }, 'push')}
        >
          <option value="">
            {words.category}: {words.all}
          </option>
          {CATEGORIES.map((each) => (
            <option key={each} value={each}>
              {words[each]}
            </option>
          ))}
        </select>
        {(sources.data?.length ?? 0) > 1 && (
          <select
            class="input input-inline"
            aria-label={words.source}
            value={filter('source') ?? ''}
            onChange={({ currentTarget }) => setFilters({ source: currentTarget.value || undefined }, 'push')}
          >
            <option value="">
              {words.source}: {words.all}
            </option>
            {sources.data?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </div>
    </search>
  );
}

interface StatusChoiceProps {
  readonly label: string;
  readonly isChosen: boolean;
  readonly value: string | undefined;
}

function StatusChoice({ label, isChosen, value }: StatusChoiceProps) {
  return (
    <button
      type="button"
      class="button"
      aria-pressed={isChosen}
      onClick={() => setFilters({ status: value, item: undefined }, 'push')}
    >
      {label}
    </button>
  );
}
