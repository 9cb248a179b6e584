/** Whoever asks for the same while it is under way shares its outcome. @param underWay the runs, by what was asked for */
export function sharedRun<T>(underWay: Map<string, Promise<T>>, what: string, begin: () => Promise<T>): Promise<T> {
  let run = underWay.get(what);
  if (!run) {
    run = begin().finally(() => underWay.delete(what));
    underWay.set(what, run);
  }
  return run;
}
