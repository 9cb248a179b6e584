import type { ChatFormat } from '@worktrack/contracts/events/notifications';
import { counted, type Line, type Message, told } from './message.ts';

/** Slack cuts `text` off at 40 000 characters and advises 4 000; Discord refuses more than 2 000. */
const MAX_LENGTH: Readonly<Record<'slack' | 'discord', number>> = { slack: 4_000, discord: 2_000 };
/** For the last line, which says how many are left out. */
const LAST_LINE_LENGTH = 300;

/** The body of a request to the webhook of a chat. What others wrote is shown as it is: nobody is called by it, and no link leads elsewhere. */
export function chatBody(format: ChatFormat, message: Message): object {
  switch (format) {
    case 'slack':
      return { text: joined(message, 'slack', slackLine, (url, words) => `<${url}|${words}>`), unfurl_links: false };
    case 'discord':
      return {
        content: joined(message, 'discord', discordLine, (url, words) => `[${words}](<${url}>)`),
        // https://discord.com/developers/docs/resources/message#allowed-mentions-object
        allowed_mentions: { parse: [] },
      };
    case 'teams':
      return { type: 'message', attachments: [teamsCard(message)] };
  }
}

function joined(
  { lines, more, allUrl, words }: Message,
  format: keyof typeof MAX_LENGTH,
  written: (line: Line) => string,
  link: (url: string, words: string) => string,
): string {
  const shown: string[] = [];
  let length = 0;
  for (const line of lines.map(written)) {
    length += line.length + 1;
    if (length > MAX_LENGTH[format] - LAST_LINE_LENGTH) break;
    shown.push(line);
  }
  const left = more + lines.length - shown.length;
  return [...shown, ...(left > 0 ? [link(allUrl, counted(words.more, left))] : [])].join('\n');
}

/** https://docs.slack.dev/messaging/formatting-message-text: these three are all that is special; `<!channel>` is one. */
const slackLine = (line: Line) =>
  `<${line.url}|${line.taskId}> ${told(line).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}`;

const discordLine = (line: Line) =>
  `[${line.taskId}](<${line.url}>) ${told(line).replace(/[\\`*_~|<>[\]()#@:/-]/g, '\\$&')}`;

/** An Adaptive Card, which the webhooks of Teams' workflows take. Its runs of text, unlike its blocks, know no Markdown. */
function teamsCard({ lines, more, allUrl, words }: Message): object {
  const run = (text: string, url?: string) => ({
    ...{ type: 'TextRun', text },
    ...(url && { selectAction: { type: 'Action.OpenUrl', url } }),
  });
  const block = (...inlines: object[]) => ({ type: 'RichTextBlock', inlines });
  return {
    contentType: 'application/vnd.microsoft.card.adaptive',
    content: {
      ...{ $schema: 'http://adaptivecards.io/schemas/adaptive-card.json', type: 'AdaptiveCard', version: '1.4' },
      body: [
        ...lines.map((line) => block(run(line.taskId, line.url), run(` ${told(line)}`))),
        ...(more > 0 ? [block(run(counted(words.more, more), allUrl))] : []),
      ],
    },
  };
}
