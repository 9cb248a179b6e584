/**
 * @param work runs once, however often the returned function is called before that: after everything the event loop has ready to read, so
 * that what arrives together leaves together
 * @param isAlone called when the work becomes due: whether nothing can join it. It then runs as soon as the current callback and the promises
 * that it settled are done: amqplib writes in the check phase, and work that also waits for that phase is written one turn of the loop later.
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
