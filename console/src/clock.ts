import { computed, signal } from '@preact/signals';

const TICK_MS = 1_000;
/** An answer says when it was made in whole seconds, and takes a moment to arrive. */
const TOLERATED_MS = 5_000;

/** How far the service's clock is ahead. Leases end by that one, and the visitor's may be wrong. */
let aheadMs: number | undefined;

/** Now, in milliseconds, for whatever shows ages and remaining times: one timer for all of them, which pauses while the page is hidden. */
export const now = signal(Date.now());

/** Compares the clocks by the first answer of the service. @param date its header of this name */
export function compareClocks(date: string | null): void {
  if (aheadMs !== undefined || date === null) return;
  const foundMs = Date.parse(date) - Date.now();
  aheadMs = Math.abs(foundMs) > TOLERATED_MS ? foundMs : 0;
  tick();
}

function tick(): void {
  now.value = Date.now() + (aheadMs ?? 0);
}

setInterval(() => document.visibilityState === 'visible' && tick(), TICK_MS);
document.addEventListener('visibilitychange', tick);

/** A text about the time, as a child of an element: when it changes it alone is drawn again, not what it is part of. */
export const timed = (text: (nowMs: number) => string) => computed(() => text(now.value));

/** `2026-01-31`, in UTC, as the service counts days. */
export const today = computed(() => new Date(now.value).toISOString().slice(0, 'yyyy-mm-dd'.length));
