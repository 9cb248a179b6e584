import { computed, signal } from '@preact/signals';

const TICK_MS = 1_000;

/** Now, in milliseconds, for whatever shows ages and remaining times: one timer for all of them, which pauses while the page is hidden. */
export const now = signal(Date.now());

setInterval(() => {
  if (document.visibilityState === 'visible') now.value = Date.now();
}, TICK_MS);
document.addEventListener('visibilitychange', () => {
  now.value = Date.now();
});

/** A text about the time, as a child of an element: when it changes it alone is drawn again, not what it is part of. */
export const timed = (text: (nowMs: number) => string) => computed(() => text(now.value));

/** `2026-01-31`, in UTC, as the service counts days. */
export const today = computed(() => new Date(now.value).toISOString().slice(0, 'yyyy-mm-dd'.length));
