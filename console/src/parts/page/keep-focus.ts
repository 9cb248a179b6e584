/** What the focus may be put on by itself: a key that is still held does nothing there that cannot be taken back. */
const STOPS = 'a[href], summary, input, button[aria-haspopup], [tabindex]';

let had: HTMLElement | undefined;
let outside: HTMLElement | undefined;
document.addEventListener('focusin', ({ target }) => {
  had = target as HTMLElement;
  if (!had.closest('.toasts')) outside = had;
});

/**
 * When the focused element disappears together with its surroundings, the focus moves to what follows there, or to what encloses it. Without focus, keys do
 * nothing, and a screen reader begins at the top. From a message, the focus returns to where it was before.
 */
new MutationObserver((records) => {
  if (!had || had.isConnected || document.activeElement !== document.body) return;
  let place: MutationRecord | undefined;
  for (let gone: Node = had; !gone.isConnected; gone = place.target) {
    place = records.find(({ removedNodes }) => [...removedNodes].some((each) => each.contains(gone)));
    if (!place) return;
  }
  let stop = outside?.isConnected ? outside : (stopIn(place?.nextSibling) ?? stopIn(place?.previousSibling));
  for (let around = place?.target as HTMLElement | null | undefined; around && !stop; around = around.parentElement) {
    if (around.matches('[tabindex]')) stop = around;
    else {
      stop = stopIn(around.nextElementSibling) ?? stopIn(around.previousElementSibling);
      stop ??= around.querySelector<HTMLElement>('h1') ?? undefined;
    }
  }
  // What has only changed its place, such as a card, takes the focus along once it is drawn there, with the next frame.
  requestAnimationFrame(() => setTimeout(() => document.activeElement === document.body && stop?.focus()));
}).observe(document, { childList: true, subtree: true });

function stopIn(part: Node | null | undefined): HTMLElement | undefined {
  if (!(part instanceof HTMLElement)) return undefined;
  const stops = [part, ...part.querySelectorAll<HTMLElement>(STOPS)];
  // What leads elsewhere is not next to what is no part of that, whatever stands beside it.
  const isNear = (each: Element) => each.closest('nav')?.contains(part.parentElement) !== false;
  return stops.find((each) => each.matches(STOPS) && isNear(each) && each.checkVisibility());
}

export {};
