import { uploadLocalFile } from '../attachments/operations.ts';
import { readAttachmentByTool } from '../attachments/read-by-tool.ts';
import { updateNotificationSettings } from '../events/notifications.ts';
import { serviceContract } from '../operation.ts';
import { listForYou } from './for-you.ts';
import { showHealth } from './health.ts';
import { me } from './identity.ts';
import { inviteUser } from './invite.ts';
import { linkFeedback, unlinkFeedback } from './link.ts';
import { listNotifications, showWatch, unwatchWorkItem, watchWorkItem } from './notifications.ts';
import { showOrganization, updateOrganization } from './organization.ts';
import { announcePresence } from './presence.ts';
import { getWorkItemTrace } from './trace.ts';

/** What the gateway handles itself: from the verified identity, or by combining several services. */
export const gatewayContract = serviceContract('gateway', [
  me,
  showOrganization,
  updateOrganization,
  listForYou,
  listNotifications,
  updateNotificationSettings,
  showWatch,
  watchWorkItem,
  unwatchWorkItem,
  announcePresence,
  inviteUser,
  showHealth,
  linkFeedback,
  unlinkFeedback,
  getWorkItemTrace,
  uploadLocalFile,
  readAttachmentByTool,
]);
