import { uuidv7 } from '@worktrack/runtime/process/uuid';

/** A UUIDv7 as a process would have made it then. */
export function uuidAt(ms: number): string {
  const time = Math.floor(ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}${uuidv7().slice(13)}`;
}
