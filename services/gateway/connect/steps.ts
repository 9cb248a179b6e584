import type { KeyObject } from 'node:crypto';
import type { ConnectionStep } from '@worktrack/contracts/keys/connection-steps';
import type { Identity } from '@worktrack/contracts/keys/identity';
import { MAX_NOTES, type noteSteps } from '@worktrack/contracts/keys/oauth';
import type { RawInput } from '@worktrack/contracts/operation';
import type { Permission } from '@worktrack/contracts/permissions';
import type { Log } from '@worktrack/rpc/types';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Clients } from '../clients.ts';
import { clientOf } from '../http/client-address.ts';
import { addressOf } from '../http/sender.ts';
import { reportEvery } from '../report-every.ts';

const REPORT_INTERVAL_MS = 1_000;
const REPORT_DEADLINE_MS = 5_000;
/** Per report. More are forgotten: a picture for whoever wonders why an app does not connect, which nothing depends on. */
const MAX_PER_REPORT = 5_000;
/** How many grants a gateway remembers as already reported. */
const MAX_GRANTS = 20_000;

type Note = RawInput<typeof noteSteps>['notes'][number];

/** Gathers the steps of clients that this gateway sees, and reports them every second: once each, however often they are repeated. */
export class ConnectionSteps {
  readonly #keys: Clients['keys'];
  readonly #addressSecret: KeyObject;
  readonly #log: Log;
  readonly #reports = reportEvery(REPORT_INTERVAL_MS, () => this.#send());
  readonly #told = new LRUCache<string, true>({ max: MAX_GRANTS });
  #notes = new Map<string, Note>();

  constructor({ keys, addressSecret, log }: { keys: Clients['keys']; addressSecret: KeyObject; log: Log }) {
    this.#keys = keys;
    this.#addressSecret = addressSecret;
    this.#log = log;
  }

  /** By a client that has no token. @param step null: it has come without one */
  lookedUp(request: FastifyRequest, step: Extract<ConnectionStep, 'metadata'> | null): void {
    const network = clientOf(request, this.#addressSecret);
    const { userAgent } = addressOf(request);
    this.#add(`${network} ${step}`, { network, userAgent, step, at: new Date().toISOString() });
  }

  /** By a client that has one. */
  done({ organization, grant }: Identity, step: ConnectionStep): void {
    if (!grant) return;
    const name = `${grant.id} ${step}`;
    if (this.#told.has(name)) return;
    this.#told.set(name, true);
    this.#add(name, { organizationId: organization.id, grantId: grant.id, step, at: new Date().toISOString() });
  }

  /** A call that the user could have allowed, and has not. */
  missed({ organization, grant }: Identity, missed: readonly Permission[]): void {
    if (!grant) return;
    const at = new Date().toISOString();
    const note = { organizationId: organization.id, grantId: grant.id, step: null, missed: [...missed], at };
    this.#add(`${grant.id} missed`, note);
  }

  stop(): Promise<void> {
    return this.#reports.stop();
  }

  #add(name: string, note: Note): void {
    if (this.#notes.size < MAX_PER_REPORT) this.#notes.set(name, note);
  }

  async #send(): Promise<void> {
    const notes = [...this.#notes.values()];
    this.#notes = new Map();
    for (let from = 0; from < notes.length; from += MAX_NOTES) {
      const requestId = uuidv7();
      const options = { requestId, idempotencyKey: requestId, deadlineMs: REPORT_DEADLINE_MS };
      try {
        await this.#keys.call('connections.note', { notes: notes.slice(from, from + MAX_NOTES) }, options);
      } catch (error) {
        this.#log.warn({ error, requestId }, 'Steps of connecting apps could not be reported, and are forgotten');
      }
    }
  }
}
