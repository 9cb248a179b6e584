import type {
  showOrganization as showOp,
  updateOrganization as updateOp,
} from '@worktrack/contracts/gateway/organization';
import type { Composition } from './composition.ts';

export const showOrganization: Composition<typeof showOp> = async (_input, { identity, clients, options }) => {
  const quota = await clients.feedback.call('quotas.get', {}, options);
  return { output: { ...identity.organization, ...quota }, replayed: false };
};

export const updateOrganization: Composition<typeof updateOp> = async (change, { identity, clients, options }) => {
  const { output, replayed } = await clients.feedback.exchange('quotas.set', change, options);
  return { output: { ...identity.organization, ...output }, replayed };
};
