import { number } from '../language/format.ts';
import { Button } from '../parts/button.tsx';
import { SearchField } from '../parts/form/search-field.tsx';
import { Select } from '../parts/form/select.tsx';
import { useSources } from '../parts/sources.ts';
import { filter, setFilters } from '../router.ts';
import { CATEGORIES, COUNTED, filtersOfAddress, STATUSES, useCounts } from './feedback.ts';
import { words } from './messages.ts';

export function FilterChoices() {
  const counts = useCounts(filtersOfAddress());
  const sources = useSources();
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
        <Select
          inline
          aria-label={words.category}
          value={filter('category')}
          options={CATEGORIES.map((each) => [each, words[each]])}
          none={`${words.category}: ${words.all}`}
          onChoose={(chosen) => setFilters({ category: chosen || undefined, item: undefined }, 'push')}
        />
        {(sources.data?.length ?? 0) > 1 && (
          <Select
            inline
            aria-label={words.source}
            value={filter('source')}
            options={sources.data?.map(({ id, name }) => [id, name]) ?? []}
            none={`${words.source}: ${words.all}`}
            onChoose={(chosen) => setFilters({ source: chosen || undefined, item: undefined }, 'push')}
          />
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
    <Button
      look="quiet"
      text={label}
      aria-pressed={isChosen}
      onClick={() => setFilters({ status: value, item: undefined }, 'push')}
    />
  );
}
