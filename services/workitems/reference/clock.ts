/**
 * The wall clock that all runs of a process share: while any of them does something it stands still, and it goes forward for all of them at once.
 */
let busy = 0;
let free = Promise.withResolvers<void>();
let goingForward: Promise<void> | undefined;

export async function whileItStands<Result>(act: () => Promise<Result>): Promise<Result> {
  while (goingForward) await goingForward;
  busy++;
  try {
    return await act();
  } finally {
    if (--busy === 0) {
      free.resolve();
      free = Promise.withResolvers();
    }
  }
}

export async function whileNobodyActs(act: () => Promise<void>): Promise<void> {
  while (goingForward) await goingForward;
  const { promise, resolve } = Promise.withResolvers<void>();
  goingForward = promise;
  try {
    while (busy > 0) await free.promise;
    await act();
  } finally {
    goingForward = undefined;
    resolve();
  }
}
