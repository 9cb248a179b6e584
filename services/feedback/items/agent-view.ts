import type { AgentFeedbackItem, FeedbackItem } from '@worktrack/contracts/feedback/records';

/** Puts what the public wrote, including the origin header, where a model knows that it is data, not instructions. */
export function agentView(item: FeedbackItem): AgentFeedbackItem {
  const { message, email, pageUrl, locale, origin, ...own } = item;
  return { ...own, untrustedText: { message, email, pageUrl, locale, origin } };
}

export function fromAgentView({ untrustedText, ...own }: AgentFeedbackItem): FeedbackItem {
  return { ...own, ...untrustedText };
}
