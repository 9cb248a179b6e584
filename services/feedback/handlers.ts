import { feedbackContract } from '@worktrack/contracts/feedback/contract';
import { acceptSolution } from '@worktrack/runtime/captcha/accept';
import type { Altcha } from '@worktrack/runtime/captcha/altcha';
import type { SpentSolutions } from '@worktrack/runtime/captcha/spent-solutions';
import type { CaptchaVerifier } from '@worktrack/runtime/captcha/verifier';
import { batched, write } from '@worktrack/runtime/database/handlers/handler-kinds';
import { implement } from '@worktrack/runtime/database/handlers/implement';
import type { Duplicates } from '@worktrack/runtime/redis/duplicates';
import { agentView, fromAgentView } from './items/agent-view.ts';
import type { Cursors } from './items/cursor.ts';
import { deleteSource } from './items/delete-source.ts';
import { deleteItem, eraseSender, textless, withTexts } from './items/erasure.ts';
import { getItem, pageOfInbox, updateStatus } from './items/inbox.ts';
import { ingest } from './items/ingest.ts';
import { feedbackOf, linkedBefore, linkItem, unlinkItem } from './items/links.ts';
import { recordOutcomes, showOutcomes } from './outcomes/outcomes.ts';
import { quotaOf, storeQuota } from './quotas/quotas.repository.ts';
import { sourcesOf } from './sources/sources.repository.ts';
import { createSource, getSource, sourcesByPublicKey, updateSource } from './sources/sources.ts';

export interface Parts {
  readonly cursors: Cursors;
  readonly duplicates: Duplicates;
  readonly spent: SpentSolutions;
  readonly verifier: CaptchaVerifier;
  /** If the verifier is the self-hosted one. */
  readonly altcha: Altcha | undefined;
}

export function handlers({ cursors, duplicates, spent, verifier, altcha }: Parts) {
  return implement(feedbackContract, {
    'sources.list': (_, context) => sourcesOf(context),
    'sources.create': createSource,
    'sources.get': getSource,
    'sources.update': updateSource,
    'sources.delete': write((input, context) => deleteSource(duplicates, input, context), { staged: true }),
    'sources.outcomes': showOutcomes,
    'sources.byPublicKey': batched(sourcesByPublicKey),
    'captcha.challenge': async ({ sourceId }, { fail }) => {
      if (!altcha) throw fail('NOT_FOUND', 'There are no challenges here: the captcha comes from another provider.');
      return altcha.challenge(sourceId);
    },
    'captcha.verify': async ({ itemId, captchaToken: token, ...presented }, { deadlineAtMs, log }) => {
      await acceptSolution(verifier, spent, itemId, { ...presented, token, deadlineAtMs, log });
      return { passed: true };
    },
    'feedback.ingest': batched((calls) => ingest(duplicates, calls)),
    'feedback.list': (query, context) => pageOfInbox(cursors, query, context),
    'feedback.listForAgents': async (query, context) => {
      const { items, nextCursor } = await pageOfInbox(cursors, query, context);
      return { items: items.map(agentView), nextCursor };
    },
    'feedback.get': getItem,
    'feedback.update': write(updateStatus, { record: textless, restore: withTexts }),
    'feedback.updateStatus': write(
      async ({ feedbackId, status }, context) => agentView(await updateStatus({ id: feedbackId, status }, context)),
      {
        record: (answer) => agentView(textless(fromAgentView(answer))),
        restore: async (answer, context) => agentView(await withTexts(fromAgentView(answer), context)),
      },
    ),
    'feedback.delete': (input, context) => deleteItem(duplicates, input, context),
    'feedback.erase': write((input, context) => eraseSender(duplicates, input, context), { staged: true }),
    'feedback.linkItem': linkItem,
    'feedback.unlinkItem': unlinkItem,
    'feedback.linkedBefore': linkedBefore,
    'feedback.byWorkItems': feedbackOf,
    'quotas.get': async (_, context) => ({ feedbackPerDay: await quotaOf(context) }),
    'quotas.set': async ({ feedbackPerDay }, context) => {
      if (feedbackPerDay !== undefined) await storeQuota(context, feedbackPerDay);
      return { feedbackPerDay: await quotaOf(context) };
    },
    'outcomes.record': recordOutcomes,
  });
}
