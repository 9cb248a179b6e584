import { signal } from '@preact/signals';
import type { ItemType } from '@worktrack/contracts/work-items/work-item';
import { useEffect } from 'preact/hooks';
import { may } from '../session.ts';

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
const places = signal<readonly Place[]>([]);

/** A new item is created in a project that one sees. */
export const mayCreate = () => may('work-items:write') && may('projects:read');

/** @param place if not where one is */
export function openCreate(place: Place = places.value.at(-1) ?? {}): void {
  creating.value = place;
}

/** While the component is mounted, this is where one is: the last one, such as an item in the panel of a board. */
export function usePlace(place: Place): void {
  const key = JSON.stringify(place);
  useEffect(() => {
    places.value = [...places.value, place];
    return () => {
      places.value = places.value.filter((each) => each !== place);
    };
  }, [key]);
}
