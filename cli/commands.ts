import type { Command } from 'commander';
import { auditCommand } from './commands/audit.ts';
import { budgetCommand } from './commands/budget.ts';
import { eventsCommand } from './commands/events.ts';
import { feedbackCommand } from './commands/feedback.ts';
import { grantCommand } from './commands/grant.ts';
import { inboxCommand } from './commands/inbox.ts';
import { itemCommand } from './commands/item.ts';
import { keyCommand } from './commands/key.ts';
import { labelCommand } from './commands/label.ts';
import { loginLinkCommand } from './commands/login-link.ts';
import { mcpCommand } from './commands/mcp.ts';
import { notificationCommand } from './commands/notification.ts';
import { projectCommand } from './commands/project.ts';
import { roleCommand } from './commands/role.ts';
import { sourceCommand } from './commands/source.ts';
import { trustCommand } from './commands/trust.ts';
import { userCommand } from './commands/user.ts';
import { viewCommand } from './commands/view.ts';
import { webhookCommand } from './commands/webhook.ts';

export const WHICH_SERVICE =
  "Which service: WORKTRACK_URL and WORKTRACK_API_KEY or, in a job of CI, WORKTRACK_TRUST_RULE, else config.json in the system's configuration folder, else the local stack that `npm start` runs.";

/** All that need an API key and nothing else. */
export const commandsWithKey = (): Command[] => [
  inboxCommand(),
  notificationCommand(),
  itemCommand(),
  projectCommand(),
  labelCommand(),
  viewCommand(),
  feedbackCommand(),
  budgetCommand(),
  userCommand(),
  roleCommand(),
  keyCommand(),
  trustCommand(),
  grantCommand(),
  sourceCommand(),
  loginLinkCommand(),
  eventsCommand(),
  webhookCommand(),
  auditCommand(),
  mcpCommand(),
];
