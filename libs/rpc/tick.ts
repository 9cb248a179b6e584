/**
 * @param work runs once, however often the returned function is called before that. It runs after everything that the event loop has ready to read, so that
 * what arrives together leaves together
 * @param isAlone called when the work becomes due: whether nothing can join it. It then runs right after the current callback and the promises that this
 * settled. The library amqplib writes in the check phase; work that waits for that phase too would be written one turn of the loop later.
 */
export function oncePerTick(work: () => void, isAlone: () => boolean): () => void {
  let scheduled = false;
  const run = () => {
    scheduled = false;
    work();
  };
  return () => {
    if (scheduled) return;
    scheduled = true;
    if (isAlone()) process.nextTick(run);
    else setImmediate(run);
  };
}
