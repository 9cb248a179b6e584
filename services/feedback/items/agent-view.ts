import type { AgentFeedbackItem, FeedbackItem } from '@worktrack/contracts/feedback/records';

/** What the public wrote, the origin header included, goes where a model knows that it reads data and not instructions. */
export function agentView(item: FeedbackItem): AgentFeedbackItem {
  const { message, email, pageUrl, locale, origin, ...own } = item;
  return { ...own, untrustedText: { message, email, pageUrl, locale, origin } };
}

export function fromAgentView({ untrustedText, ...own }: AgentFeedbackItem): FeedbackItem {
  return { ...own, ...untrustedText };
}
