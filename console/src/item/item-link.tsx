import type { ItemType } from '@worktrack/contracts/work-items/work-item';
import { TypeIcon } from '../parts/item/item-icons.tsx';
import { to } from '../router.ts';

interface Named {
  readonly taskId: string;
  readonly title: string;
  readonly type?: ItemType;
  readonly columnName?: string;
}

export function ItemLink({ item }: { readonly item: Named }) {
  const { taskId, title, type, columnName } = item;
  return (
    <span class="item-link">
      {type && <TypeIcon type={type} />}
      <a href={to(`items/${taskId}`)}>
        <span class="quiet">{taskId}</span> <bdi>{title}</bdi>
      </a>{' '}
      {columnName && <span class="tag">{columnName}</span>}
    </span>
  );
}
