import { grantCommand } from './commands/access/grant.ts';
import { keyCommand } from './commands/access/key.ts';
import { loginLinkCommand } from './commands/access/login-link.ts';
import { roleCommand } from './commands/access/role.ts';
import { trustCommand } from './commands/access/trust.ts';
import { userCommand } from './commands/access/user.ts';
import { auditCommand } from './commands/audit.ts';
import { eventsCommand } from './commands/events.ts';
import { feedbackCommand } from './commands/feedback.ts';
import { mcpCommand } from './commands/mcp.ts';
import { sourceCommand } from './commands/source.ts';
import { webhookCommand } from './commands/webhook.ts';
import { budgetCommand } from './commands/work/budget.ts';
import { inboxCommand } from './commands/work/inbox.ts';
import { itemCommand } from './commands/work/item.ts';
import { labelCommand } from './commands/work/label.ts';
import { notificationCommand } from './commands/work/notification.ts';
import { projectCommand } from './commands/work/project.ts';
import { viewCommand } from './commands/work/view.ts';
import type { Commands } from './program.ts';

export const WHICH_SERVICE =
  "Which service: WORKTRACK_URL and WORKTRACK_API_KEY or, in a job of CI, WORKTRACK_TRUST_RULE, else config.json in the system's configuration folder, else the local stack that `npm start` runs.";

/** All that need an API key and nothing else, by their names. Each is made when it is asked for: the flags of all take a quarter of a command's start. */
export const commandsWithKey: Commands = {
  inbox: inboxCommand,
  notification: notificationCommand,
  item: itemCommand,
  project: projectCommand,
  label: labelCommand,
  view: viewCommand,
  feedback: feedbackCommand,
  budget: budgetCommand,
  user: userCommand,
  role: roleCommand,
  key: keyCommand,
  trust: trustCommand,
  grant: grantCommand,
  source: sourceCommand,
  'login-link': loginLinkCommand,
  events: eventsCommand,
  webhook: webhookCommand,
  audit: auditCommand,
  mcp: mcpCommand,
};
