import type { Connection } from '@worktrack/contracts/keys/connection';
import { CONNECTION_STEPS, type ConnectionStep } from '@worktrack/contracts/keys/connection-steps';
import { MAX_CONNECTIONS } from '@worktrack/contracts/keys/connections';
import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import { inOrder } from '@worktrack/runtime/database/in-order';
import type { Scope } from '@worktrack/runtime/database/scope';
import mongoose, { type ClientSession } from 'mongoose';
import {
  type ConnectionDocument,
  ConnectionModel,
  type LookupDocument,
  LookupModel,
  type SeenStep,
} from './connections.model.ts';

const NEWEST = { field: '_id', direction: -1 } as const;

/** Long enough to sign in first, or to ask somebody. */
export const OPEN_MS = 60 * 60_000;

export async function insertConnection(tx: ClientSession, document: ConnectionDocument): Promise<void> {
  const expiresAt = new Date(document.createdAt.getTime() + OPEN_MS);
  await ConnectionModel.create([{ ...document, expiresAt }], { session: tx });
}

/** By somebody who is signed in. It is theirs, and kept for them as long as all (connections.model.ts). */
export async function noteOpened(
  tx: ClientSession,
  id: string,
  whose: { readonly organizationId: string; readonly userId: string },
  steps: ConnectionDocument['steps'],
): Promise<void> {
  await ConnectionModel.updateOne(
    { _id: id },
    { $set: { ...whose, ...inSteps(steps) }, $unset: { expiresAt: '' } },
    { session: tx },
  );
}

/** Across organizations: it is nobody's until somebody looks at it. */
export async function connectionById(tx: ClientSession, id: string): Promise<ConnectionDocument | undefined> {
  return (await ConnectionModel.findOne({ _id: id }, null, { session: tx }).lean()) ?? undefined;
}

/** For a connection that the transaction has read. */
export async function changeConnection(
  tx: ClientSession,
  id: string,
  change: Partial<Pick<ConnectionDocument, 'grantId'>>,
  steps: ConnectionDocument['steps'] = {},
): Promise<void> {
  await ConnectionModel.updateOne({ _id: id }, { $set: { ...change, ...inSteps(steps) } }, { session: tx });
}

/** Of the connection that a grant was given in, if it is not forgotten. The first time that a step succeeds counts, and whatever is wrong after that. */
export async function noteStepOf(
  { connectionId, organizationId }: { readonly connectionId: string; readonly organizationId: string },
  step: ConnectionStep,
  seen: SeenStep,
  tx?: ClientSession,
): Promise<void> {
  const { [step]: before } = (await stepsOf(organizationId, connectionId, tx)) ?? {};
  if (before && !before.problem && !seen.problem) return;
  await ConnectionModel.updateOne({ organizationId, _id: connectionId }, { $set: inSteps({ [step]: seen }) }).session(
    tx ?? null,
  );
}

async function stepsOf(organizationId: string, _id: string, tx: ClientSession | undefined) {
  const found = await ConnectionModel.findOne({ organizationId, _id }, { steps: 1 }, { session: tx }).lean();
  return found?.steps;
}

const inSteps = (steps: ConnectionDocument['steps']) =>
  Object.fromEntries(Object.entries(steps).map(([step, seen]) => [`steps.${step}`, seen]));

/** What a network has looked up without a browser, as far as is known, and from now on no more. */
export async function takeLookup(tx: ClientSession, network: string): Promise<LookupDocument | undefined> {
  return (await LookupModel.findOneAndDelete({ _id: network }, { session: tx }).lean()) ?? undefined;
}

export async function noteLookup(
  network: string,
  userAgent: string | null,
  steps: ConnectionDocument['steps'],
  at: Date,
): Promise<void> {
  const seen = Object.keys(steps).length > 0;
  const change = seen
    ? { $set: { userAgent, ...inSteps(steps) } }
    : { $set: { userAgent }, $setOnInsert: { steps: {} } };
  const set = () => LookupModel.updateOne({ _id: network }, { ...change, $max: { updatedAt: at } }, { upsert: true });
  try {
    await set();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    await set();
  }
}

/** @param userId undefined: of all users */
export async function connectionsOf({ caller }: Scope, userId: string | undefined): Promise<ConnectionDocument[]> {
  return inOrder<ConnectionDocument>(ConnectionModel, {
    filter: { organizationId: caller.organizationId, ...(userId !== undefined && { userId }) },
    order: NEWEST,
    after: undefined,
    choose: [],
    limit: MAX_CONNECTIONS,
    present: [],
  });
}

/** @param network undefined: from everywhere */
export async function lookupsFrom(network: string | undefined): Promise<LookupDocument[]> {
  if (network !== undefined) return LookupModel.find({ _id: network }).lean();
  return LookupModel.find({ updatedAt: mongoose.trusted({ $lte: new Date() }) })
    .sort({ updatedAt: -1 })
    .limit(MAX_CONNECTIONS)
    .lean();
}

export function recordOf({ _id, createdAt, ...connection }: ConnectionDocument): Connection {
  const { clientId, clientName, userAgent, userId, steps } = connection;
  const last = CONNECTION_STEPS.findLastIndex((step) => steps[step]);
  const shown = CONNECTION_STEPS.slice(0, last + 1).map((step) => {
    const { at, problem, detail } = steps[step] ?? {};
    return {
      step,
      at: at?.toISOString() ?? null,
      ...(problem !== undefined && { problem }),
      ...(detail !== undefined && { detail }),
    };
  });
  const failed = shown.find(({ problem }) => problem !== undefined)?.step;
  return {
    ...{ id: _id, at: createdAt.toISOString(), clientId, clientName, userAgent, userId },
    steps: shown,
    missing: failed ?? CONNECTION_STEPS[last + 1] ?? null,
  };
}
