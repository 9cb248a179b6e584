import { signal } from '@preact/signals';

export const isPaletteOpen = signal(false);
const KEY = 'k';

// Everywhere, also while somebody writes; but over no other dialog, which would be lost behind it.
document.addEventListener('keydown', (event) => {
  const isMeant = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key === KEY;
  if (!isMeant || event.defaultPrevented || document.querySelector('dialog:modal')) return;
  event.preventDefault();
  isPaletteOpen.value = true;
});
