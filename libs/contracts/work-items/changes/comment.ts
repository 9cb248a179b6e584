import { z } from 'zod';
import { exampleEvent, exampleLease } from '../../examples.ts';
import { ItemRef } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { LeaseToken, Question } from '../agents/leases.ts';
import { HistoryEvent } from '../history-event.ts';

const Text = z.string().trim().min(1).max(10_000);

export const addWorkItemComment = operation({
  name: 'workItems.comment',
  summary: 'Add a comment to the history of a work item.',
  permissions: ['work-items:write'],
  effect: 'create',
  input: z.strictObject({
    workItemId: ItemRef,
    text: Text,
    leaseToken: LeaseToken.optional().describe('Your own claim’s: not an answer to you'),
  }),
  output: z.object({ event: HistoryEvent }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: {
    input: { workItemId: 'W-T-14', text: 'The colours are agreed.' },
    output: { event: { ...exampleEvent, eventType: 'comment', data: { text: 'The colours are agreed.' } } },
  },
  rest: 'POST /api/work-items/:workItemId/comments',
  mcp: { tool: 'add_work_item_comment', title: 'Comment on work item' },
});

export const answerQuestion = operation({
  name: 'workItems.answer',
  summary: 'Answer the question of the agent that holds a work item.',
  permissions: ['work-items:write'],
  effect: 'create',
  input: z.strictObject({
    workItemId: ItemRef,
    text: Text,
    question: Question.optional().describe('Refused once another is asked'),
  }),
  output: z.object({
    event: HistoryEvent,
    /** Who gets the answer, with the next heartbeat. */
    agent: z.string(),
    question: z.string().nullable(),
  }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: {
    input: { workItemId: 'W-T-14', text: 'Use the palette of the brand.', question: 'Which colours?' },
    output: {
      event: { ...exampleEvent, eventType: 'comment', data: { text: 'Use the palette of the brand.', answer: true } },
      agent: exampleLease.agent,
      question: 'Which colours?',
    },
  },
  rest: 'POST /api/work-items/:workItemId/answer',
  mcp: { tool: 'answer_question', title: 'Answer question' },
});
