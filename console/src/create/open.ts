import { signal } from '@preact/signals';
import type { ItemType } from '@worktrack/contracts/work-items/work-item';
import { useEffect } from 'preact/hooks';
import { filter, setFilters } from '../router.ts';

/** Where a new item is going to be, as far as the place one is at says so; all of it can be changed in the dialog. */
export interface Place {
  readonly projectId?: string;
  readonly boardId?: string;
  readonly columnId?: string;
  /** A task ID. */
  readonly parent?: string;
  readonly type?: ItemType;
}

/** The place for which the dialog is open. */
export const creating = signal<Place | undefined>(undefined);
const here = signal<Place>({});

/** @param place if not where one is */
export function openCreate(place: Place = here.value): void {
  creating.value = place;
}

/** While the component is mounted, this is where one is. */
export function usePlace(place: Place): void {
  const key = JSON.stringify(place);
  useEffect(() => {
    here.value = place;
    // What an address of an item alone does not say.
    if (place.projectId && filter('project') !== place.projectId) setFilters({ project: place.projectId });
    return () => {
      here.value = {};
    };
  }, [key]);
}
