import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { ClientSession } from 'mongoose';
import { type ClientDocument, ClientModel } from './clients.model.ts';
import type { DescribedClient } from './document.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

export async function readClient(id: string): Promise<ClientDocument | undefined> {
  const found = await ClientModel.findOne({ _id: id }).lean();
  return found && (!found.expiresAt || found.expiresAt.getTime() > Date.now()) ? found : undefined;
}

/** @param freshForMs how long it need not be fetched again */
export async function storeDocument(
  id: string,
  { name, uri, redirectUris }: DescribedClient,
  freshForMs: number,
): Promise<void> {
  const now = Date.now();
  const fetchedAt = new Date(now);
  await ClientModel.updateOne(
    { _id: id },
    {
      $set: {
        ...{ name, uri, redirectUris: [...redirectUris], fetchedAt },
        freshUntil: new Date(now + freshForMs),
      },
      // Whoever sends browsers here chooses what is stored.
      $max: { expiresAt: new Date(now + HOUR_MS) },
      $setOnInsert: { createdAt: fetchedAt },
    },
    { upsert: true },
  );
}

export async function insertRegistered(
  tx: ClientSession,
  { name, uri, redirectUris }: DescribedClient,
): Promise<ClientDocument> {
  const createdAt = new Date();
  const document: ClientDocument = {
    ...{ _id: uuidv7(), name, uri, redirectUris: [...redirectUris], createdAt },
    expiresAt: new Date(createdAt.getTime() + DAY_MS),
  };
  await ClientModel.create([document], { session: tx });
  return document;
}

/** Somebody has allowed it something. */
export async function keepClient(
  tx: ClientSession,
  { clientId, clientDomain }: { readonly clientId: string; readonly clientDomain: string | null },
): Promise<void> {
  const change =
    clientDomain === null ? { $unset: { expiresAt: 1 } } : { $max: { expiresAt: new Date(Date.now() + DAY_MS) } };
  await ClientModel.updateOne({ _id: clientId }, change, { session: tx });
}
