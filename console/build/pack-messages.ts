import { LANGUAGES, type Language } from '@worktrack/contracts/people/languages';
import type { Plugin } from 'rolldown';

/** `messages({ … })` in a source, as it is formatted: its table is of literals only. */
const TABLE = /\bmessages\((\{\n[\s\S]*?\n\})\)/g;
/** What stands for a table until it is known which file its texts are in. */
const MARK = /["'`]@table (\d+)["'`]/g;
/** What stands for the addresses of the languages' files, in src/language/later-texts.ts. */
const FILES = /["'`]@files of texts["'`]/;

type Text = string | { readonly one?: string; readonly other: string };
type Texts = Record<Language, Text[]>;

interface Table {
  readonly id: string;
  readonly words: Readonly<Record<string, Readonly<Record<Language, Text>>>>;
  /** Where its texts begin in the files of all languages; undefined: they are in the code. */
  at?: number;
}

interface Packing {
  /** Whether a module is loaded before the first screen is shown: its texts are there with it, in all languages. */
  readonly isFirst: (id: string) => boolean;
  /** @returns the address of a file */
  readonly emit: (name: string, content: string) => string;
}

/**
 * Groups the texts of all tables by language. The texts of the first view go into their own file, all others into one file per language, of which a visitor
 * loads one. Compressed, the console takes 16 kB less than with tables, in which every text follows one in another language. `messages`
 * (src/language/messages.ts) finds them there.
 */
export function packMessages({ isFirst, emit }: Packing): Plugin {
  const tables: Table[] = [];
  let addresses = '';
  return {
    name: 'pack-messages',
    transform: {
      filter: { id: /[\\/]console[\\/]src[\\/].*\.tsx?$/, code: 'messages({' },
      handler: (code, id) =>
        code.replace(TABLE, (_, table: string) => {
          tables.push({ id, words: new Function(`return (${table})`)() });
          return `messages('@table ${tables.length - 1}' as never)`;
        }),
    },
    renderStart() {
      const later = empty();
      // Sorted, so that the same sources make the same files.
      for (const table of tables.filter(({ id }) => !isFirst(id)).sort((one, other) => (one.id < other.id ? -1 : 1))) {
        table.at = later.en.length;
        add(later, table);
      }
      addresses = JSON.stringify(
        Object.fromEntries(LANGUAGES.map((each) => [each, emit(each, JSON.stringify(later[each]))])),
      );
    },
    renderChunk(code) {
      const first = empty();
      const rest = code
        .replace(MARK, (_, nth: string) => {
          const table = tables[Number(nth)] as Table;
          const names = Object.entries(table.words).map(([name, { en }]) => (takesValues(en) ? `${name}(` : name));
          const [texts, at] = table.at === undefined ? ['$texts', first.en.length] : [null, table.at];
          if (table.at === undefined) add(first, table);
          return `${texts}, ${at}, '${names.join(' ')}'`;
        })
        .replace(FILES, () => addresses);
      return first.en.length > 0 ? `const $texts = ${JSON.stringify(first)};\n${rest}` : rest;
    },
  };
}

function empty(): Texts {
  return Object.fromEntries(LANGUAGES.map((each) => [each, [] as Text[]])) as Texts;
}

function add(texts: Texts, { words }: Table): void {
  for (const each of LANGUAGES) texts[each].push(...Object.values(words).map((text) => text[each]));
}

const takesValues = (text: Text): boolean => typeof text !== 'string' || text.includes('{');
