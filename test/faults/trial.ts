import { setTimeout as delay } from 'node:timers/promises';
import { loadSecrets } from '@worktrack/stack/files/secrets';
import { expect } from 'vitest';
import { leaks, wholeOutput } from '../security/output.ts';
import type { TestOrganization } from '../support/organization.ts';
import type { RunningSystem } from '../support/run-system.ts';
import { type System, startSystem } from '../support/system.ts';
import { type Attempt, Violations } from './attempt.ts';
import { compare } from './compare.ts';
import { compareLog, compareSubjects } from './compare-log.ts';
import type { Fault } from './faults.ts';
import { MINUTES } from './form.ts';
import { keep } from './keep.ts';
import { Ledger } from './ledger.ts';
import { Load } from './load.ts';
import { loggedAbout } from './logged.ts';
import { type Memory, memoryOf } from './memory.ts';
import { OtherLoad } from './other-load.ts';
import { Polls } from './polls.ts';
import { Streams } from './streams.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

/** Between two faults, so that the rate before one is not that of the recovery from another. */
const CALM_MS = 2_000;
const RATE_WINDOW_MS = 2_000;
/** Between two calls of a client while nothing is broken: in the short form, which would otherwise spend most of its time on load that meets no fault. */
const PAUSE_MS = MINUTES > 0 ? 0 : 800;
/** While a part is broken: twice as long as a call, so that of eight clients two or three are always in the middle of one. The other tests keep their CPU. */
const PAUSE_IN_FAULT_MS = MINUTES > 0 ? 0 : 250;
const RECOVERED_SHARE = 0.7;
/** The share of the machine's processors above which the reader of the figures should know of it. */
const NOISE = 0.05;
/** The promise is 10 s. The short form runs alongside other tests, on machines that may be slow, and is to find what does not come back at all. */
const RECOVERY_LIMIT_MS = MINUTES > 0 ? 10_000 : 30_000;
/** Far above what any of them takes (the table shows it), far below what an unbounded queue would take within a minute. */
const MEMORY_LIMIT_MIB = 768;
/** The promise is 1 s. */
const LOG_LIMIT_MS = MINUTES > 0 ? 1_000 : 30_000;
const MEMORY_EVERY_MS = 250;
const SHOWN_VIOLATIONS = 10;
/** The number of characters of an API key that are shown. */
const PREFIX = 11;

/** A fault, and what can be said of it at once; what became of the calls that began during it is known only later. */
interface Endured {
  readonly fault: Fault;
  readonly fromMs: number;
  /** When the part was back. */
  readonly mendedMs: number;
  readonly ratePerSecond: number;
  /** From then until calls are acknowledged at the rate from before. */
  readonly recoveryMs: number;
  /** From then until the log shows what was acknowledged until then. */
  readonly logMs: number;
  readonly memory: Memory;
}

const acknowledged = ({ status }: Attempt) => status >= 200 && status < 300;

/** A system under load, the ledger of what it acknowledged, and what each fault did to its clients. */
export class Trial {
  readonly system: System & RunningSystem;
  readonly organization: TestOrganization;
  readonly ledger = new Ledger();
  readonly violations = new Violations();
  readonly load: Load;
  readonly #polls: Polls;
  readonly #streams: Streams;
  readonly #receiver: WebhookReceiver;
  readonly #endured: Endured[] = [];
  readonly #others = new OtherLoad();

  static async start(options: Parameters<typeof startSystem>[0]): Promise<Trial> {
    const system = await startSystem(options);
    try {
      const organization = await system.newOrganization();
      const source = await organization.call<{ publicKey: string }>('POST', '/api/feedback/sources', {
        name: 'Load',
        type: 'server',
        requireCaptcha: false,
        rateLimit: { perIp: 1_000_000, perSource: 1_000_000, windowSeconds: 60 },
      });
      if (!source.success) throw new Error(source.error.message);
      const receiver = await WebhookReceiver.start(organization);
      const trial = new Trial(system, organization, source.data.publicKey, receiver);
      await trial.acknowledgedSince(Date.now(), 50);
      return trial;
    } catch (error) {
      await system.stop();
      throw error;
    }
  }

  private constructor(
    system: System & RunningSystem,
    organization: TestOrganization,
    publicKey: string,
    receiver: WebhookReceiver,
  ) {
    this.system = system;
    this.organization = organization;
    const log = { gateways: system.gateways, apiKey: organization.apiKey, ledger: this.ledger };
    this.#polls = new Polls(log);
    this.#streams = new Streams(log);
    this.#receiver = receiver;
    this.load = new Load({ gateways: system.gateways, organization, publicKey }, this.ledger, this.violations);
  }

  /** Resolves once this many calls that began since then are acknowledged. */
  async acknowledgedSince(since: number, count: number): Promise<void> {
    while (this.load.attempts.filter((attempt) => attempt.at >= since && acknowledged(attempt)).length < count)
      await delay(20);
  }

  /** Breaks a part under load, and waits until the load is back to what it was. */
  async endure(fault: Fault): Promise<void> {
    this.load.pauseMs = PAUSE_MS;
    await delay(CALM_MS);
    const ratePerSecond = this.#rateBetween(Date.now() - RATE_WINDOW_MS, Date.now());
    // What breaks is to meet clients in the middle of a call.
    this.load.pauseMs = PAUSE_IN_FAULT_MS;
    await delay(PAUSE_MS);
    const from = Date.now();
    const memory = { serviceMiB: 0, brokerMiB: 0 };
    const measured = setInterval(() => {
      const now = memoryOf(this.system);
      memory.serviceMiB = Math.max(memory.serviceMiB, now.serviceMiB);
      memory.brokerMiB = Math.max(memory.brokerMiB, now.brokerMiB);
    }, MEMORY_EVERY_MS);
    try {
      await fault.run(this.system);
      const mendedMs = Date.now();
      this.load.pauseMs = PAUSE_MS;
      const [recoveryMs, logMs] = await Promise.all([
        this.#recovery(fault, from, mendedMs, ratePerSecond),
        this.#logFollows(mendedMs),
      ]);
      if (logMs > LOG_LIMIT_MS)
        this.violations.add(
          `${fault.name}: the log followed ${logMs} ms after the part's return, not within ${LOG_LIMIT_MS}`,
        );
      if (Math.max(memory.serviceMiB, memory.brokerMiB) > MEMORY_LIMIT_MIB)
        this.violations.add(`${fault.name}: a service took ${memory.serviceMiB} MiB, the broker ${memory.brokerMiB}`);
      this.#endured.push({ fault, fromMs: from, mendedMs, ratePerSecond, recoveryMs, logMs, memory });
    } finally {
      clearInterval(measured);
    }
  }

  /** Ends the load, prints the table, and checks the ledger against what the system shows. */
  async end(): Promise<void> {
    await this.load.stop();
    await Promise.all([this.#polls.end(), this.#streams.end()]);
    await this.#receiver.end(this.#polls.events);
    this.#others.stop();
    this.#complainOfNotice();
    keep(process.env.WORKTRACK_FAULTS_KEEP, this.system.folder, {
      calls: this.load.attempts,
      faults: this.#endured.map(({ fault, ...times }) => ({ name: fault.name, ...times })),
    });
    const differences = await compare(this.ledger, this.organization);
    compareLog('polls', this.ledger, this.#polls.events, differences);
    compareLog('streams', this.ledger, this.#streams.events, differences);
    compareSubjects('webhook', this.ledger, this.#receiver.events, differences);
    for (const { seq, type } of this.#receiver.missing(this.#polls.events)) {
      differences.lost.push(`webhook: ${type} at ${seq}`);
    }
    console.table(this.#table());
    console.log(
      `${this.ledger.entries.length} acknowledged writes, ${this.load.attempts.length} calls: ${differences.lost.length} lost, ${differences.doubled.length} doubled, ${differences.torn.length} torn, ${differences.outOfOrder.length} out of order`,
    );
    console.log(`A stream was begun again ${this.#streams.resumed} times.`);
    const { events, repeated, troubles } = this.#receiver;
    console.log(
      `A webhook was told of ${events.length} events while its endpoint failed ${troubles} times; ${repeated} came again.`,
    );
    const others = this.#others.shareBetween(0, Date.now());
    if (others > NOISE) console.log(`Others took ${Math.round(others * 100)} % of the processors meanwhile.`);
    expect(differences).toEqual({ lost: [], doubled: [], torn: [], outOfOrder: [] });
    const { apiKey } = this.organization;
    const secrets = new Map([
      ...Object.entries(loadSecrets(this.system.folder, {})),
      ['the API key', apiKey.slice(PREFIX)],
    ]);
    expect(leaks(await wholeOutput(this.system), secrets)).toEqual([]);
    const shown = this.violations.list.slice(0, SHOWN_VIOLATIONS).map((violation) => this.#withItsCause(violation));
    expect({ violations: this.violations.list.length, shown }).toEqual({ violations: 0, shown: [] });
  }

  /** The calls that began during a fault, or in the calm after it, when some are still held up. */
  #callsOf(index: number): Attempt[] {
    const fromMs = this.#endured[index]?.fromMs ?? 0;
    const toMs = this.#endured[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    return this.load.attempts.filter(({ at }) => at >= fromMs && at < toMs);
  }

  #complainOfNotice(): void {
    for (const [index, { fault }] of this.#endured.entries()) {
      if (!fault.unnoticed) continue;
      // What the next fault ended may be that one's doing.
      const nextFromMs = this.#endured[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
      const refused = this.#callsOf(index).filter(
        (attempt) => !acknowledged(attempt) && attempt.at + attempt.durationMs < nextFromMs,
      );
      for (const { status, code, durationMs, requestId } of refused)
        this.violations.add(`${fault.name}: a client was answered ${status} ${code} after ${durationMs} ms`, requestId);
    }
  }

  /** A line for each fault: for one that came several times, the sum of its calls and the worst of the rest. */
  #table(): Record<string, Record<string, number>> {
    const table: Record<string, Record<string, number>> = {};
    const rows = this.#endured.map((endured, index) => ({ ...endured, calls: this.#callsOf(index) }));
    for (const [name, times] of Map.groupBy(rows, ({ fault }) => fault.name)) {
      const calls = times.flatMap((row) => row.calls);
      const worst = (of: (row: Endured) => number) => Math.max(...times.map(of));
      table[name] = {
        times: times.length,
        calls: calls.length,
        refused: calls.filter((attempt) => !acknowledged(attempt)).length,
        'slowest answer (s)': inSeconds(calls.reduce((slowest, { durationMs }) => Math.max(slowest, durationMs), 0)),
        'writes/s before': Math.round(times.reduce((sum, row) => sum + row.ratePerSecond, 0) / times.length),
        'back to that rate (s)': inSeconds(worst(({ recoveryMs }) => recoveryMs)),
        'log follows (s)': inSeconds(worst(({ logMs }) => logMs)),
        'largest service (MiB)': worst(({ memory }) => memory.serviceMiB),
        'broker (MiB)': worst(({ memory }) => memory.brokerMiB),
      };
    }
    return table;
  }

  #between(from: number, to: number): Attempt[] {
    return this.load.attempts.filter(({ at, durationMs }) => at + durationMs >= from && at + durationMs < to);
  }

  #rateBetween(from: number, to: number): number {
    return (this.#between(from, to).filter(acknowledged).length * 1_000) / (to - from);
  }

  async #recovery(fault: Fault, brokenAt: number, mendedAt: number, ratePerSecond: number): Promise<number> {
    for (;;) {
      const now = Date.now();
      const from = Math.max(mendedAt, now - RATE_WINDOW_MS);
      const expected = ratePerSecond * RECOVERED_SHARE * this.#machineLeft(brokenAt, from, now);
      if (now - mendedAt >= 500 && this.#rateBetween(from, now) >= expected) return now - mendedAt;
      if (now - mendedAt > RECOVERY_LIMIT_MS) {
        this.violations.add(`${fault.name}: the rate was not back within ${RECOVERY_LIMIT_MS} ms of the part's return`);
        return now - mendedAt;
      }
      await delay(50);
    }
  }

  /** Until the log shows everything that was acknowledged before the part was back: to whichever reader is first, for a page at a time may take one longer. */
  async #logFollows(mendedAt: number): Promise<number> {
    const acknowledgedThen = this.ledger.entries.length;
    for (;;) {
      const afterMs = Date.now() - mendedAt;
      const readers = [this.#streams, this.#polls];
      if (readers.some((reader) => reader.missing(acknowledgedThen).length === 0)) return afterMs;
      if (afterMs > RECOVERY_LIMIT_MS) return afterMs;
      await delay(20);
    }
  }

  /** The share of the machine left to us, relative to what it was before the fault: a rate can be no higher, however healthy the system is. */
  #machineLeft(brokenAt: number, from: number, to: number): number {
    const before = 1 - this.#others.shareBetween(brokenAt - RATE_WINDOW_MS, brokenAt);
    return Math.min(1, (1 - this.#others.shareBetween(from, to)) / Math.max(before, 0.01));
  }

  #withItsCause({ what, requestId }: Violations['list'][number]): string {
    return requestId ? [what, ...loggedAbout(requestId, this.system.folder)].join('\n') : what;
  }
}

function inSeconds(durationMs: number): number {
  return Math.round(durationMs / 100) / 10;
}
