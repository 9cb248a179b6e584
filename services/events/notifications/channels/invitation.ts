import type { mailInvitation as operation } from '@worktrack/contracts/events/invitations';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { Language } from '@worktrack/contracts/people/languages';
import type { StagedContext } from '@worktrack/runtime/database/handlers/contexts';
import type { Mailer } from './mail.ts';
import { oneLine } from './message.ts';

interface Words {
  readonly invites: (inviter: string, organization: string) => string;
  readonly signIn: string;
  readonly once: (until: string) => string;
  readonly ignore: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    invites: (inviter, organization) => `${inviter} invites you to ${organization} on worktrack`,
    signIn: 'Sign in',
    once: (until) => `The link signs you in once, until ${until}.`,
    ignore: 'If you do not know what this is about, ignore this mail.',
  },
  de: {
    invites: (inviter, organization) => `${inviter} lädt dich zu ${organization} auf worktrack ein`,
    signIn: 'Anmelden',
    once: (until) => `Der Link meldet dich einmal an, bis ${until}.`,
    ignore: 'Wenn du nicht weißt, worum es geht, beachte diese Mail nicht weiter.',
  },
  tr: {
    invites: (inviter, organization) => `${inviter} sizi worktrack’te ${organization} kuruluşuna davet ediyor`,
    signIn: 'Oturum aç',
    once: (until) => `Bağlantı bir kez oturum açar; geçerlilik sonu: ${until}.`,
    ignore: 'Bunun ne olduğunu bilmiyorsanız bu e-postayı dikkate almayın.',
  },
  ja: {
    invites: (inviter, organization) => `${inviter} さんから worktrack の ${organization} への招待が届いています`,
    signIn: 'サインイン',
    once: (until) => `リンクは ${until} まで、一度だけ有効です。`,
    ignore: '心当たりがない場合は、このメールを無視してください。',
  },
};

/** What is sent: the link in plain text, and as the one button of a page. */
function invitationMail(
  { code, expiresAt, inviter, organization, language }: Omit<Input<typeof operation>, 'id' | 'to'>,
  publicUrl: string,
): { readonly subject: string; readonly text: string; readonly html: string } {
  const words = WORDS[language];
  const [by, to] = [oneLine(inviter), oneLine(organization)];
  const url = `${publicUrl}/console/#code=${code}`;
  // Nobody knows yet where they live.
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  const once = words.once(`${format.format(new Date(expiresAt))} UTC`);
  return {
    subject: words.invites(by, to),
    text: [`${words.invites(by, to)}:`, '', url, '', once, words.ignore].join('\n'),
    html: [
      `<!doctype html><html lang="${language}"><body style="font:16px/1.5 sans-serif;max-width:32rem">`,
      `<p>${words.invites(named(by), named(to))}:</p>`,
      `<p><a href="${escaped(url)}" style="${BUTTON}">${words.signIn}</a></p>`,
      `<p>${once} ${words.ignore}</p></body></html>`,
    ].join('\n'),
  };
}

const BUTTON =
  'display:inline-block;padding:10px 20px;border-radius:6px;background:#1f5fd6;color:#ffffff;text-decoration:none';

/** In its own direction, whatever it is written in. */
const named = (text: string) => `<bdi>${escaped(text)}</bdi>`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');

/** At once, while whoever invites waits: they are told what has become of it, and have the link themselves. */
export async function mailInvitation(
  { mailer, publicUrl }: { readonly mailer: Mailer | undefined; readonly publicUrl: string },
  { id, to, ...invitation }: Input<typeof operation>,
  context: StagedContext<FailureOf<typeof operation>, Output<typeof operation>>,
): Promise<Output<typeof operation>> {
  const outcome = await mailer?.send({ ...invitationMail(invitation, publicUrl), to, id });
  if (outcome && outcome.state !== 'told') {
    context.log.warn({ why: outcome.why, invitation: id }, 'An invitation was not mailed');
  }
  const mail = outcome ? (outcome.state === 'told' ? 'sent' : 'failed') : 'off';
  return context.commit(async () => ({ id, mail }));
}
