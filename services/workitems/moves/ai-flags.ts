import type { Metadata } from '@worktrack/contracts/metadata';
import type { StandardColumn } from '@worktrack/contracts/projects/board';

export interface AiRequest {
  /** True forces the flag, whatever the column; false means not given. */
  readonly setAiProcessing?: boolean;
  readonly aiProvider?: string;
}

/** What a move does to `isAiProcessing`: the table of states and transitions. Nothing: undefined. */
export function aiProcessingAfterMove(toColumn: string, request: AiRequest): boolean | undefined {
  if (request.setAiProcessing) return true;
  switch (toColumn as StandardColumn) {
    case 'In Progress':
      return true;
    case 'Review':
    case 'Done':
      return false;
    default:
      return undefined;
  }
}

/** The metadata that the request adds, if any. */
export function aiMetadata({ setAiProcessing, aiProvider }: AiRequest): Metadata | undefined {
  return setAiProcessing && aiProvider !== undefined ? { aiProvider } : undefined;
}
