// nodemailer: the mail library of Node for fifteen years, without dependencies. Writing SMTP, MIME and the encoding of headers ourselves would be several times as much as all of this.
import { createTransport, type Transporter } from 'nodemailer';
import { counted, type Message, told } from './message.ts';
import type { Outcome } from './outcome.ts';

export interface MailSettings {
  readonly SMTP_URL?: string | undefined;
  readonly MAIL_FROM?: string | undefined;
  readonly PUBLIC_URL: string;
}

/** Each phase of a connection. */
const SMTP_TIMEOUT_MS = 10_000;
export const MAIL_CONNECTIONS = 4;
/** RFC 5321, 4.2.1: a permanent failure. */
const PERMANENT = 500;

interface Mail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Hands mail to the server in SMTP_URL. */
export class Mailer {
  readonly #transport: Transporter;
  readonly #from: string;
  readonly #host: string;

  constructor({ SMTP_URL, MAIL_FROM, PUBLIC_URL }: MailSettings & { readonly SMTP_URL: string }) {
    this.#host = new URL(PUBLIC_URL).hostname;
    this.#from = MAIL_FROM ?? `worktrack@${this.#host}`;
    this.#transport = createTransport({
      ...{ url: SMTP_URL, pool: true, maxConnections: MAIL_CONNECTIONS },
      ...{ connectionTimeout: SMTP_TIMEOUT_MS, greetingTimeout: SMTP_TIMEOUT_MS, socketTimeout: SMTP_TIMEOUT_MS },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    });
  }

  close(): void {
    this.#transport.close();
  }

  /** As `send`. @param unsubscribeUrl ends all mails, without a question if it is POSTed to (RFC 8058) */
  tell(
    message: Message,
    { unsubscribeUrl, ...to }: { readonly to: string; readonly id: string; readonly unsubscribeUrl: string },
  ): Promise<Outcome> {
    return this.send({
      ...{ ...to, subject: subjectOf(message), text: textOf(message, unsubscribeUrl) },
      headers: {
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    });
  }

  /**
   * Never throws: what goes wrong is the outcome.
   * @param mail `id`: the same whenever the same is sent, so that a mail that comes twice is recognized as one by whatever goes by its Message-ID
   */
  async send({ id, headers, ...mail }: Mail): Promise<Outcome> {
    try {
      await this.#transport.sendMail({
        ...{ ...mail, from: this.#from, messageId: `<${id}@${this.#host}>` },
        // RFC 3834: no answer by a machine.
        headers: { ...headers, 'Auto-Submitted': 'auto-generated' },
      });
      return { state: 'told' };
    } catch (error) {
      const { code, responseCode = 0, message: why } = error as Error & { code?: string; responseCode?: number };
      return { state: code === 'EENVELOPE' && responseCode >= PERMANENT ? 'refused' : 'failed', why };
    }
  }
}

function subjectOf({ lines: [first, ...others], more }: Message): string {
  const left = others.length + more;
  return `${first?.taskId} ${first && told(first)}${left > 0 ? ` (+${left})` : ''}`;
}

function textOf({ lines, more, allUrl, words }: Message, unsubscribeUrl: string): string {
  return [
    ...lines.flatMap((line) => [`${line.taskId} ${told(line)}`, line.url, '']),
    ...(more > 0 ? [`${counted(words.more, more)}:`, allUrl, ''] : []),
    '-- ',
    `${words.settings}: ${allUrl}`,
    `${words.unsubscribe}: ${unsubscribeUrl}`,
  ].join('\n');
}
