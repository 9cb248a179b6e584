type Dragging = typeof import('./dragging.ts');
export type Edge = import('./dragging.ts').Edge;

let loading: Promise<Dragging> | undefined;

/** Once the board is there: nobody drags a card sooner, and the code is a tenth of what the board needs. */
function load(): Promise<Dragging> {
  loading ??= new Promise((resolve) => setTimeout(resolve)).then(() => import('./dragging.ts'));
  return loading;
}

/** For an effect: what is to be done once cards can be dragged. @returns undoes it */
export function whenDraggable(start: (dragging: Dragging) => () => void): () => void {
  let stop: (() => void) | undefined;
  let isOver = false;
  load().then(
    (dragging) => {
      if (!isOver) stop = start(dragging);
    },
    // Without the network. The menu and the keyboard move cards as well.
    () => {
      loading = undefined;
    },
  );
  return () => {
    isOver = true;
    stop?.();
  };
}
