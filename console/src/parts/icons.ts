import type { IconNode } from 'lucide';

// The icons in use, by what they stand for here.

export { default as backIcon } from 'lucide/dist/esm/icons/arrow-left.mjs';
export { default as mentionIcon } from 'lucide/dist/esm/icons/at-sign.mjs';
export { default as blockedIcon } from 'lucide/dist/esm/icons/ban.mjs';
export { default as storyIcon } from 'lucide/dist/esm/icons/bookmark.mjs';
export { default as saveIcon } from 'lucide/dist/esm/icons/bookmark-plus.mjs';
export { default as agentsIcon } from 'lucide/dist/esm/icons/bot.mjs';
export { default as featureIcon } from 'lucide/dist/esm/icons/box.mjs';
export { default as dueIcon } from 'lucide/dist/esm/icons/calendar.mjs';
export { default as costsIcon } from 'lucide/dist/esm/icons/chart-no-axes-column.mjs';
export { default as checkIcon } from 'lucide/dist/esm/icons/check.mjs';
export { default as downIcon } from 'lucide/dist/esm/icons/chevron-down.mjs';
export { default as nextIcon } from 'lucide/dist/esm/icons/chevron-right.mjs';
export { default as choiceIcon } from 'lucide/dist/esm/icons/chevrons-up-down.mjs';
export { default as accountIcon } from 'lucide/dist/esm/icons/circle-user-round.mjs';
export { default as codeIcon } from 'lucide/dist/esm/icons/code.mjs';
export { default as copyIcon } from 'lucide/dist/esm/icons/copy.mjs';
export { default as moreIcon } from 'lucide/dist/esm/icons/ellipsis.mjs';
export { default as watchIcon } from 'lucide/dist/esm/icons/eye.mjs';
export { default as estimateIcon } from 'lucide/dist/esm/icons/gauge.mjs';
export { default as dragIcon } from 'lucide/dist/esm/icons/grip-vertical.mjs';
export { default as inboxIcon } from 'lucide/dist/esm/icons/inbox.mjs';
export { default as italicIcon } from 'lucide/dist/esm/icons/italic.mjs';
export { default as epicIcon } from 'lucide/dist/esm/icons/layers.mjs';
export { default as ideaIcon } from 'lucide/dist/esm/icons/lightbulb.mjs';
export { default as linkIcon } from 'lucide/dist/esm/icons/link.mjs';
export { default as bulletsIcon } from 'lucide/dist/esm/icons/list.mjs';
export { default as filterIcon } from 'lucide/dist/esm/icons/list-filter.mjs';
export { default as numbersIcon } from 'lucide/dist/esm/icons/list-ordered.mjs';
export { default as tasksIcon } from 'lucide/dist/esm/icons/list-todo.mjs';
export { default as openIcon } from 'lucide/dist/esm/icons/maximize-2.mjs';
export { default as questionIcon } from 'lucide/dist/esm/icons/message-circle-question-mark.mjs';
export { default as attachIcon } from 'lucide/dist/esm/icons/paperclip.mjs';
export { default as editIcon } from 'lucide/dist/esm/icons/pencil.mjs';
export { default as createIcon } from 'lucide/dist/esm/icons/plus.mjs';
export { default as searchIcon } from 'lucide/dist/esm/icons/search.mjs';
export { default as settingsIcon } from 'lucide/dist/esm/icons/settings.mjs';
export { default as displayIcon } from 'lucide/dist/esm/icons/sliders-horizontal.mjs';
export { default as taskIcon } from 'lucide/dist/esm/icons/square-check.mjs';
export { default as boardIcon } from 'lucide/dist/esm/icons/square-kanban.mjs';
export { default as tableIcon } from 'lucide/dist/esm/icons/table.mjs';
export { default as quoteIcon } from 'lucide/dist/esm/icons/text-quote.mjs';
export { default as deleteIcon } from 'lucide/dist/esm/icons/trash.mjs';
export { default as stalledIcon } from 'lucide/dist/esm/icons/triangle-alert.mjs';
export { default as headingIcon } from 'lucide/dist/esm/icons/type.mjs';
export { default as returnedIcon } from 'lucide/dist/esm/icons/undo-2.mjs';
export { default as planIcon } from 'lucide/dist/esm/icons/waypoints.mjs';
export { default as closeIcon } from 'lucide/dist/esm/icons/x.mjs';

/** Lucide has none any more. */
export const boldIcon: IconNode = [
  ['path', { d: 'M6 12h9a4 4 0 0 1 0 8H7a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1h7a4 4 0 0 1 0 8' }],
];
