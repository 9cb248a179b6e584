import type { Metadata } from '@worktrack/contracts/metadata';
import type { Role } from '../boards/progress.ts';

export interface AiRequest {
  /** True forces the flag, whatever the column; false means not given. */
  readonly setAiProcessing?: boolean;
  readonly aiProvider?: string;
}

/** The effect of a move on `isAiProcessing`: the table of states and transitions. Undefined: none. */
export function aiProcessingAfterMove(to: Role, request: AiRequest): boolean | undefined {
  if (request.setAiProcessing) return true;
  switch (to) {
    case 'in_progress':
      return true;
    case 'review':
    case 'done':
      return false;
    default:
      return undefined;
  }
}

/** The metadata that the request adds, if any. */
export function aiMetadata({ setAiProcessing, aiProvider }: AiRequest): Metadata | undefined {
  return setAiProcessing && aiProvider !== undefined ? { aiProvider } : undefined;
}
