import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';

/** Whether a card is being dragged: until it is dropped, nothing but the hand moves the board below it. */
export const isDragging = signal(false);

/** What this was when the drag began, until it ends. */
export function useStill<T>(value: T): T {
  const still = useRef(value);
  if (!isDragging.value) still.current = value;
  return still.current;
}
