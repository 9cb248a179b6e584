import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BSON, type Document, type IndexDescriptionInfo, MongoClient } from 'mongodb';

/** The databases of one release as it left them, and what its API showed of them. Written by make-fixture.test.ts, and never changed afterwards. */
export interface Fixture {
  readonly version: string;
  readonly databases: Readonly<Record<string, Readonly<Record<string, Collection>>>>;
  readonly shown: Shown;
}

interface Collection {
  readonly indexes: readonly IndexDescriptionInfo[];
  readonly documents: readonly Document[];
}

export interface Shown {
  /** In two parts, because what looks like a key in a repository is taken for a leaked one. */
  readonly apiKey: readonly [string, string];
  readonly itemIds: readonly string[];
  readonly attachment: { readonly workItemId: string; readonly fileName: string; readonly sha256: string };
  readonly publicKey: string;
  /** `data` of the answers to these reads, by path. */
  readonly answers: Readonly<Record<string, unknown>>;
}

const SERVICES_WITH_DATA = ['keys', 'workitems', 'feedback'] as const;

/** The data's secrets, which a new release is given again. */
export const SECRETS = {
  KEY_PEPPER: 'the pepper of all upgrade fixtures; for tests alone',
  WIDGET_TOKEN_SECRETS: '1:the widget secret of all upgrade fixtures; for tests alone',
  IP_HASH_SECRET: 'the address secret of all upgrade fixtures; for tests alone',
};

const FOLDER = join(import.meta.dirname, 'fixtures');

export const fixturePath = (version: string) => join(FOLDER, `${version}.json`);

export function fixtures(): Fixture[] {
  return readdirSync(FOLDER).map((name) => BSON.EJSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Fixture);
}

export async function dump(url: string, prefix: string): Promise<Fixture['databases']> {
  return await withClient(url, async (client) => {
    const databases: Record<string, Record<string, Collection>> = {};
    for (const service of SERVICES_WITH_DATA) {
      const database = client.db(`${prefix}_${service}`);
      const collections: Record<string, Collection> = {};
      for (const { name } of await database.listCollections().toArray()) {
        const collection = database.collection(name);
        collections[name] = {
          indexes: await collection.indexes(),
          documents: await collection.find({}, { promoteValues: false }).toArray(),
        };
      }
      databases[service] = collections;
    }
    return databases;
  });
}

export async function restore({ databases }: Fixture, url: string, prefix: string): Promise<void> {
  await withClient(url, async (client) => {
    for (const [service, collections] of Object.entries(databases)) {
      const database = client.db(`${prefix}_${service}`);
      for (const [name, { indexes, documents }] of Object.entries(collections)) {
        const collection = await database.createCollection(name);
        if (documents.length > 0) await collection.insertMany([...documents]);
        const own = indexes.filter((index) => index.name !== '_id_').map(({ v: _, ...index }) => index);
        if (own.length > 0) await collection.createIndexes(own as never);
      }
    }
  });
}

/** `service.collection.index`, sorted. */
export async function indexNames(url: string, prefix: string): Promise<string[]> {
  const databases = await dump(url, prefix);
  return Object.entries(databases)
    .flatMap(([service, collections]) =>
      Object.entries(collections).flatMap(([name, { indexes }]) =>
        indexes.map((index) => `${service}.${name}.${index.name}`),
      ),
    )
    .sort();
}

async function withClient<T>(url: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await MongoClient.connect(url);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
