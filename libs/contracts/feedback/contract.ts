import { serviceContract } from '../operation.ts';
import { deleteFeedback, eraseSender } from './erasure.ts';
import { getFeedback, listFeedback, listFeedbackForAgents, updateFeedback, updateFeedbackStatus } from './inbox.ts';
import { captchaChallenge, ingestFeedback, sourceByPublicKey, verifyCaptcha } from './intake.ts';
import { feedbackByWorkItems, linkedBefore, linkItem, unlinkItem } from './links.ts';
import { recordOutcomes, sourceOutcomes } from './outcomes.ts';
import { getQuota, setQuota } from './quota.ts';
import { createSource, deleteSource, getSource, listSources, updateSource } from './sources.ts';

export const feedbackContract = serviceContract('feedback', [
  listSources,
  createSource,
  getSource,
  updateSource,
  deleteSource,
  sourceOutcomes,
  listFeedback,
  listFeedbackForAgents,
  getFeedback,
  updateFeedback,
  updateFeedbackStatus,
  deleteFeedback,
  eraseSender,
  linkItem,
  unlinkItem,
  linkedBefore,
  feedbackByWorkItems,
  getQuota,
  setQuota,
  sourceByPublicKey,
  captchaChallenge,
  verifyCaptcha,
  ingestFeedback,
  recordOutcomes,
]);
