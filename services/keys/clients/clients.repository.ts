import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { ClientSession } from 'mongoose';
import { type ClientDocument, ClientModel } from './clients.model.ts';
import type { DescribedClient } from './document.ts';

const DAY_MS = 24 * 60 * 60_000;

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
        expiresAt: new Date(now + DAY_MS),
      },
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

/** Of one that has registered: somebody uses it. */
export async function keepClient(tx: ClientSession, id: string): Promise<void> {
  await ClientModel.updateOne({ _id: id }, { $unset: { expiresAt: 1 } }, { session: tx });
}
