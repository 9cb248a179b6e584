import './lanes.css';
import { Select } from '../../parts/form/select.tsx';
import { setFilters } from '../../router.ts';
import { words as fieldWords } from '../../views/filters/messages.ts';
import { LANES_BY, type LaneBy } from '../board-cards.ts';
import { words } from './messages.ts';

/** What a board is divided into, in the address as what a list is grouped by. */
export function LaneChoice({ by }: { readonly by: LaneBy | undefined }) {
  return (
    <span class="row lane-choice">
      <span class="quiet" aria-hidden="true">
        {words.lanes}
      </span>
      <Select
        inline
        aria-label={words.lanes}
        value={by}
        none={words.none}
        options={LANES_BY.map((each) => [each, fieldWords[each]])}
        onChoose={(chosen) => setFilters({ groupBy: chosen || undefined }, 'push')}
      />
    </span>
  );
}
