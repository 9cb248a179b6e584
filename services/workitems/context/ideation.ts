import { WHERE_PROJECT_IDS_ARE } from '@worktrack/contracts/fields';
import type { getIdeationContext as operation } from '@worktrack/contracts/work-items/agents/context';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { columnIn } from '../boards/columns.ts';
import { isDone } from '../boards/progress.ts';
import { itemsWithKeywords } from '../search/related.repository.ts';
import { boardMap, boardOfMost } from './board-map.ts';
import { newestParents } from './outline.repository.ts';
import { toPlaced } from './present.ts';
import { relevanceTo } from './relevance.ts';

/** How many are ranked for each one shown. */
const RANKED_PER_SHOWN = 5;

/** What already exists around an idea, and where it could go. */
export const getIdeationContext: Read<typeof operation> = async ({ keywords, limit, ...input }, context) => {
  const projectId = input.projectId ?? context.caller.sessionProjectId;
  const found = await itemsWithKeywords(context, keywords, projectId, limit * RANKED_PER_SHOWN);
  const relevance = relevanceTo(keywords);
  const ranked = found
    .map((item) => ({ item, ...relevance(item) }))
    .filter(({ matched }) => matched.length > 0)
    .sort((a, b) => b.score - a.score || (a.item._id < b.item._id ? 1 : -1))
    .slice(0, limit);

  const related = ranked.map(({ item }) => item).filter(({ type }) => type === 'epic' || type === 'feature');
  const { items: others, boards, projects } = await newestParents(context, projectId, limit);
  const [project] = projects;
  if (projectId !== undefined && !project)
    throw context.fail('NOT_FOUND', `There is no project ${projectId}. ${WHERE_PROJECT_IDS_ARE}.`);
  const board = project ? boards.get(project.defaultBoardId) : boardOfMost(found, boards);
  const parents = [...new Map([...related, ...others].map((item) => [item._id, item])).values()];
  return {
    keywords,
    items: ranked.map(({ item, score, matched }) => ({
      ...toPlaced(item, boards),
      score,
      matched: [...matched],
    })),
    potentialParents: parents
      .filter((parent) => !isDone(columnIn(boards, parent).role))
      .map((parent) => toPlaced(parent, boards))
      .slice(0, limit),
    board: board ? boardMap(board) : null,
  };
};
