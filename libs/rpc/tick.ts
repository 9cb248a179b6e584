/**
 * @param work is done once, however often the returned function is called before that: after all that the event loop has ready to read, so
 * that what arrives together leaves together
 * @param isAlone asked when the work becomes due: whether nothing can join it. Then it is done as soon as the present callback and the promises
 * that it settled are through: amqplib writes in the check phase, and work that waits for that phase too is written a turn of the loop later.
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
