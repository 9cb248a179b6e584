import type { Log } from '@worktrack/rpc/types';
import { Destinations } from '@worktrack/runtime/outbound/destination';
import { AllowedNetworks } from '@worktrack/runtime/outbound/networks';
import type { KeyRing } from '@worktrack/runtime/process/key-ring';
import { Sender } from '../../webhooks/sending/send.ts';
import { Mailer, type MailSettings } from './mail.ts';
import { Pusher, type PushSettings } from './push/pusher.ts';
import { Teller } from './teller.ts';
import { Unsubscribing } from './unsubscribing.ts';

export interface NotificationSettings extends MailSettings, Partial<Omit<PushSettings, 'PUBLIC_URL'>> {
  readonly NOTIFICATION_ALLOWED_NETWORKS: readonly string[];
  readonly WEBHOOK_SECRETS: KeyRing;
}

/** The parts that tell users besides the console. */
export class NotificationService {
  readonly destinations: Destinations;
  readonly unsubscribing: Unsubscribing;
  readonly publicUrl: string;
  /** Absent: nobody can be told by mail. */
  readonly mailer: Mailer | undefined;
  /** Absent: nobody can be told by push. */
  readonly pusher: Pusher | undefined;
  readonly #sender: Sender;
  readonly #teller: Teller;

  constructor(settings: NotificationSettings, log: Log) {
    const { SMTP_URL, VAPID_KEYS, PUBLIC_URL: publicUrl } = settings;
    const networks = new AllowedNetworks(settings.NOTIFICATION_ALLOWED_NETWORKS);
    this.destinations = new Destinations(networks, 'NOTIFICATION_ALLOWED_NETWORKS');
    this.unsubscribing = new Unsubscribing(settings.WEBHOOK_SECRETS, publicUrl);
    this.mailer = SMTP_URL === undefined ? undefined : new Mailer({ ...settings, SMTP_URL });
    this.#sender = new Sender(this.destinations, 'worktrack-notifications/1');
    this.pusher = VAPID_KEYS && new Pusher({ ...settings, VAPID_KEYS }, this.#sender);
    this.publicUrl = publicUrl;
    const { mailer, pusher, unsubscribing } = this;
    this.#teller = new Teller({ sender: this.#sender, mailer, pusher, unsubscribing, publicUrl, log });
  }

  start(): void {
    this.#teller.start();
  }

  async stop(): Promise<void> {
    await this.#teller.stop();
    this.#sender.close();
    this.mailer?.close();
  }
}
