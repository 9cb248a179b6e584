let pressed: Element | undefined;

/** A second press is not meant for a button that has replaced the target of the first. It would release another agent, or pass the next gate. */
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
