/** Computes for the given share of the time, in slices as long as those of a service under load, until its parent disconnects. */
const PIECE_MS = 2;
const share = Number(process.argv[2]);
const startedAtMs = performance.now();

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function burn(): void {
  const endMs = usedMs() + PIECE_MS;
  while (usedMs() < endMs);
  const aheadMs = usedMs() / share - (performance.now() - startedAtMs);
  setTimeout(burn, Math.max(0, aheadMs));
}

process.on('disconnect', () => process.exit());
process.send?.('burning');
burn();
