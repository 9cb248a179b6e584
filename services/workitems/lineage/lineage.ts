import { ItemRef } from '@worktrack/contracts/fields';
import { truncated } from '@worktrack/contracts/truncation';
import type { getLineage as operation } from '@worktrack/contracts/work-items/agents/lineage';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { AnswerBudget } from '@worktrack/runtime/process/answer-budget';
import { boardsWith } from '../boards/boards.repository.ts';
import { budgetsToShow, over, tightest } from '../budgets/budgets.ts';
import type { Scope } from '../calls/scope.ts';
import { ancestorsOf } from '../context/ancestors.ts';
import { outlinesOf } from '../context/outline.repository.ts';
import { toPlaced } from '../context/present.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { findItem, requireItem } from '../items/items.repository.ts';
import type { PlannedItem } from '../items/shown/views.ts';
import { sessionsCountedFor, totalSessions } from '../sessions/sessions.repository.ts';
import { idsNamingIdea } from './lineage.repository.ts';

/** More than fit into one answer (AnswerBudget): each takes over 250 bytes of it. */
const MAX_SESSIONS = 25_000;

/** Where an item came from, what was made of it, and the cost. */
export const getLineage: Read<typeof operation> = async ({ id }, context) => {
  const item = await requireItem(context, id);
  const idea = await ideaOf(context, item);
  const descendants = await madeOf(context, item);
  const { organizationId } = context.caller;
  const itemIds = [item._id, ...descendants.map(({ _id }) => _id)];
  const sessions = await sessionsCountedFor(organizationId, itemIds, MAX_SESSIONS);
  const totals = await totalSessions(organizationId, { itemIds });
  const boards = await boardsWith(context, [item, ...descendants, ...(idea ? [idea] : [])]);
  const placed = (of: PlannedItem | ItemRecord) => toPlaced(of, boards);
  const all = { descendants: descendants.map(placed), sessions: { length: totals.sessions } };
  const budget = new AnswerBudget();
  return {
    workItem: placed(item),
    idea: idea && placed(idea),
    descendants: budget.take(all.descendants),
    sessions: budget.take(sessions),
    totals,
    budget: tightest(over(await budgetsToShow(context, [item.projectId]), item)),
    ...truncated(budget.isTruncated, all),
  };
};

/** The idea that an item came from: itself, an ancestor, or one that it or an ancestor refers to; the nearest, if there are several. */
async function ideaOf(scope: Scope, item: ItemRecord): Promise<ItemRecord | null> {
  for (const candidate of [item, ...(await ancestorsOf(scope, item))]) {
    if (candidate.type === 'idea') return candidate;
    const named = ItemRef.safeParse(candidate.metadata.ideaId).data;
    const idea = named === undefined ? null : await findItem(scope, named);
    if (idea?.type === 'idea') return idea;
  }
  return null;
}

/** Everything below it; for an idea also the items that refer to it, and everything below those. In order of creation. */
async function madeOf(scope: Scope, item: ItemRecord): Promise<PlannedItem[]> {
  const naming = item.type === 'idea' ? (await idsNamingIdea(scope, item)).filter((id) => id !== item._id) : [];
  const made = await outlinesOf(scope, { named: naming, below: [item._id, ...naming] });
  return made.sort((a, b) => (a._id < b._id ? -1 : 1));
}
