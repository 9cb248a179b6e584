/**
 * @returns a function that has `work` done once, however often it is called before that: after all that the event loop has ready to read.
 * So what arrives together leaves together, and what comes alone does not wait.
 */
export function oncePerTick(work: () => void): () => void {
  let scheduled = false;
  const run = () => {
    scheduled = false;
    work();
  };
  return () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(run);
  };
}
