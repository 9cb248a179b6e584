import type { Attachment } from '@worktrack/contracts/attachments/attachment';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { useState } from 'preact/hooks';
import { send } from '../../api/call.ts';
import { queries } from '../../api/query.ts';

const UPLOAD_TIMEOUT_MS = 300_000;

/** What stores a file with an item. @returns its address, which does not change */
export function attachTo({ id }: Pick<WorkItem, 'id'>): (file: File) => Promise<string> {
  return async (file) => {
    const body = new FormData();
    body.append('file', file);
    const url = `/api/work-items/${id}/attachments`;
    const stored = await send<Attachment>(url, { method: 'POST', body, timeoutMs: UPLOAD_TIMEOUT_MS });
    await queries.invalidateQueries({ queryKey: ['attachments', id] });
    return stored.url;
  };
}

/** The same for a text that is being written: until its files are stored, it does not say where they are. */
export function useAttach(item: Pick<WorkItem, 'id'>) {
  const [storing, setStoring] = useState(0);
  const attach = async (file: File) => {
    setStoring((n) => n + 1);
    try {
      return await attachTo(item)(file);
    } finally {
      setStoring((n) => n - 1);
    }
  };
  return { attach, isStoring: storing > 0 };
}
