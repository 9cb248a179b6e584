import type { gatewayContract } from '@worktrack/contracts/gateway/contract';
import type { Compositions } from './composition.ts';
import { listForYou } from './for-you.ts';
import { showHealth } from './health.ts';
import { inviteUser } from './invite.ts';
import { linkFeedback, unlinkFeedback } from './link.ts';
import { me } from './me.ts';
import { configureNotifications, listNotifications } from './notifications.ts';
import { showOrganization, updateOrganization } from './organization.ts';
import { announcePresence } from './presence.ts';
import { readAttachmentByTool } from './read-attachment.ts';
import { getWorkItemTrace } from './trace.ts';
import { uploadLocalFile } from './upload-local-file.ts';
import { showWatch, unwatch, watch } from './watch.ts';

/** What the gateway implements itself, as the services do in their `handlers.ts`. */
export const compositions: Compositions<typeof gatewayContract> = {
  'identity.me': me,
  'organization.show': showOrganization,
  'organization.update': updateOrganization,
  'forYou.list': listForYou,
  'notifications.list': listNotifications,
  'notifications.configure': configureNotifications,
  'workItems.watching': showWatch,
  'workItems.watch': watch,
  'workItems.unwatch': unwatch,
  'workItems.announcePresence': announcePresence,
  'users.invite': inviteUser,
  'health.show': showHealth,
  'feedback.link': linkFeedback,
  'feedback.unlink': unlinkFeedback,
  'workItems.trace': getWorkItemTrace,
  'attachments.uploadLocalFile': uploadLocalFile,
  'attachments.readByTool': readAttachmentByTool,
};
