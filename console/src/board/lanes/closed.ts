import { signal } from '@preact/signals';
import { keep, kept } from '../../kept.ts';

const KEPT_AS = 'board.closed-lanes';
/** Of all boards; those that were closed longest ago are open again. */
const MAX_KEPT = 200;

/** The lanes that this browser keeps closed, each by its board and what it stands for. */
export const closedLanes = signal<readonly string[]>(read());

export function toggleLane(name: string): void {
  const others = closedLanes.value.filter((each) => each !== name);
  closedLanes.value = others.length < closedLanes.value.length ? others : [...others, name].slice(-MAX_KEPT);
  keep(KEPT_AS, JSON.stringify(closedLanes.value));
}

function read(): readonly string[] {
  try {
    const all: unknown = JSON.parse(kept(KEPT_AS) ?? '[]');
    return Array.isArray(all) ? all.map(String) : [];
  } catch {
    return [];
  }
}
