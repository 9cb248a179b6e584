/** Sends what was gathered, every interval, one report after the other, and what is left at the end. @param send deals with its failures */
export function reportEvery(intervalMs: number, send: () => Promise<void>): { stop(): Promise<void> } {
  let sending = Promise.resolve();
  const timer = setInterval(() => {
    sending = sending.then(send);
  }, intervalMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      await sending;
      await send();
    },
  };
}
