import { LANGUAGES, type Language } from '@worktrack/contracts/people/languages';
import type { Plugin } from 'rolldown';

/** `messages({ … })` in a source, as it is formatted: its table is of literals only. */
const TABLE = /\bmessages\((\{\n[\s\S]*?\n\})\)/g;
/** What stands for a table until it is known which file it is in. */
const MARK = /["'`]@table (\d+)["'`]/g;
/** Between texts, and between the forms of one: of no text. */
const [BETWEEN, OR] = ['^', '|'];

type Text = string | { readonly one?: string; readonly other: string };
type Table = Readonly<Record<string, Readonly<Record<Language, Text>>>>;

/**
 * Puts the texts of all tables of a file beside each other, language by language: compressed, the console takes 8 kB less than with tables, in which
 * every text follows one in another language. `messages` (src/language/messages.ts) finds them there.
 */
export function packMessages(): Plugin {
  const tables: Table[] = [];
  return {
    name: 'pack-messages',
    transform: {
      filter: { id: /[\\/]console[\\/]src[\\/].*\.tsx?$/, code: 'messages({' },
      handler: (code) =>
        code.replace(TABLE, (_, table: string) => {
          tables.push(new Function(`return (${table})`)());
          return `messages('@table ${tables.length - 1}' as never)`;
        }),
    },
    renderChunk(code) {
      const packed: Table[string][] = [];
      const rest = code.replace(MARK, (_, at: string) => {
        const table = tables[Number(at)] ?? {};
        const args = `$texts, ${packed.length}, '${Object.keys(table).join(' ')}'`;
        packed.push(...Object.values(table));
        return args;
      });
      if (packed.length === 0) return null;
      const texts = LANGUAGES.flatMap((language) => packed.map((text) => written(text[language])));
      return `const $texts = ${JSON.stringify(texts.join(BETWEEN))}.split('${BETWEEN}');\n${rest}`;
    },
  };
}

function written(text: Text): string {
  const forms = typeof text === 'string' ? [text] : [text.one ?? '', text.other];
  const taken = forms.find((form) => form.includes(BETWEEN) || form.includes(OR));
  if (taken !== undefined) throw new Error(`Neither ${BETWEEN} nor ${OR} can be in a text: ${taken}`);
  return forms.join(OR);
}
