/** Sends what was gathered, every interval unless the last report is still under way, and what is left at the end. @param send deals with its failures */
export function reportEvery(intervalMs: number, send: () => Promise<void>): { stop(): Promise<void> } {
  let sending: Promise<void> | undefined;
  const timer = setInterval(() => {
    sending ??= send().finally(() => {
      sending = undefined;
    });
  }, intervalMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      await sending;
      await send();
    },
  };
}
