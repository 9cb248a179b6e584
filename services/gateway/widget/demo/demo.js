// The demo page's own script: what a page can do with the widget's API, and which events it gets.
const widget = () => globalThis.WorktrackFeedback;

const actions = {
  open: () => widget()?.open(),
  preset: () => widget()?.open({ category: 'bug' }),
  identify: () => widget()?.identify({ email: 'visitor@example.com' }),
};
for (const button of document.querySelectorAll('[data-run]')) {
  button.addEventListener('click', () => actions[button.dataset.run]());
}

/** Without https there is no clipboard API; a selection can still be copied. */
const copy = async (element) => {
  getSelection().selectAllChildren(element);
  if (navigator.clipboard) await navigator.clipboard.writeText(element.textContent);
  else document.execCommand('copy');
};
for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    await copy(document.getElementById(button.dataset.copy));
    button.textContent = 'Copied';
  });
}

const listen = () => {
  for (const name of ['open', 'close', 'submitted', 'error']) {
    widget()?.on(name, (detail) => {
      const line = document.createElement('li');
      line.textContent = detail ? `${name} ${JSON.stringify(detail)}` : name;
      document.querySelector('#events').prepend(line);
    });
  }
};
// The tag is async: its script has already run, or will.
if (widget()) listen();
else document.querySelector('script[data-public-key]')?.addEventListener('load', listen);
