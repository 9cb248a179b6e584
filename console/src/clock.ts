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

/** `2026-01-31`, in UTC, as the service counts days. */
export const today = computed(() => new Date(now.value).toISOString().slice(0, 'yyyy-mm-dd'.length));
