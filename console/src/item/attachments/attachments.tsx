import type { Attachment } from '@worktrack/contracts/attachments/attachment';
import type { deleteAttachment, listAttachments } from '@worktrack/contracts/attachments/operations';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { useId, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries, useQuery } from '../../api/query.ts';
import { words as change } from '../../change/messages.ts';
import { bytes, dateAndTime } from '../../language/format.ts';
import { attempt } from '../../parts/busy.ts';
import { IconButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { attachIcon, deleteIcon } from '../../parts/icons.ts';
import { words as common } from '../../parts/messages.ts';
import { Loaded } from '../../parts/page/states.tsx';
import { Confirm } from '../../parts/popup/dialog.tsx';
import { tell } from '../../parts/popup/toasts.tsx';
import { may } from '../../session.ts';
import { words } from '../messages.ts';
import { Part } from '../part.tsx';
import { attachTo } from './attach.ts';

/** What the service serves for inline display; anything else is a download. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

export function Attachments({ item }: { readonly item: WorkItem }) {
  const key = ['attachments', item.id];
  const [doomed, setDoomed] = useState<Attachment>();
  const id = useId();
  const list = useQuery({
    key,
    load: (signal) =>
      call<typeof listAttachments>('GET /api/work-items/:workItemId/attachments', { workItemId: item.id }, { signal }),
    follows: ({ subject, type }) => subject.id === item.id && type.startsWith('work_item.attachment'),
  });
  const attach = (file: File) =>
    attempt(words.notAttached({ name: file.name }), async () => {
      await attachTo(item)(file);
      tell(words.attached({ name: file.name }));
    });
  const remove = ({ id: attachmentId, fileName }: Attachment) =>
    attempt(words.notDeleted, async () => {
      const route = 'DELETE /api/work-items/:workItemId/attachments/:attachmentId';
      await call<typeof deleteAttachment>(route, { workItemId: item.id, attachmentId });
      await queries.invalidateQueries({ queryKey: key });
      tell(change.deleted({ what: fileName }));
    });
  return (
    <Part title={words.attachments}>
      <Loaded query={list}>
        {(all) => (
          <ul class="plain attachments">
            {all.map((each) => (
              <li key={each.id}>
                {SHOWN.has(each.mimeType) && (
                  <a href={each.url} target="_blank" rel="noreferrer">
                    <img src={each.url} alt={words.preview({ name: each.fileName })} loading="lazy" />
                  </a>
                )}
                <a href={each.url} download={each.fileName}>
                  {each.fileName}
                </a>
                <span class="quiet">
                  {bytes(each.size)} · {dateAndTime(each.createdAt)}
                </span>
                {may('work-items:write') && (
                  <IconButton
                    of={deleteIcon}
                    name={words.deleteNamed({ name: each.fileName })}
                    onClick={() => setDoomed(each)}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {may('work-items:write') && (
        <div class="attachments-new">
          <label for={id} class="button button-quiet attachments-add">
            <Icon of={attachIcon} />
            {words.attach}
          </label>
          <input
            id={id}
            class="unseen"
            type="file"
            onChange={async ({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file) await attach(file);
              currentTarget.value = '';
            }}
          />
        </div>
      )}
      {doomed && (
        <Confirm
          title={words.deleteNamed({ name: doomed.fileName })}
          text={words.deleteForGood}
          action={common.delete}
          onConfirm={() => void remove(doomed)}
          onClose={() => setDoomed(undefined)}
        />
      )}
    </Part>
  );
}
