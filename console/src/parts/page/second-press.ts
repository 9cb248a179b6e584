let pressed: Element | undefined;

/** The second of two presses is not meant for the button that has taken the place of what the first was for: it would release another agent, or pass the next gate. */
document.addEventListener(
  'click',
  (event) => {
    const target = event.target as Element;
    const button = target.closest('button');
    if (event.detail > 1 && button && pressed?.isConnected === false && !pressed.closest('.toast')) {
      event.preventDefault();
      event.stopPropagation();
    } else pressed = button ?? target;
  },
  true,
);

export {};
