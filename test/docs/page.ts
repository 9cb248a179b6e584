import { readFileSync } from 'node:fs';

export interface Block {
  readonly language: string;
  readonly text: string;
  /** Of the line after the opening fence, starting from 0. */
  readonly line: number;
  /** The prose before it, since the previous block. */
  readonly before: string;
}

/** The fenced blocks of a Markdown page, in order. */
export function blocksOf(path: string): Block[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  const blocks: Block[] = [];
  let before: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const fence = /^(\s*)```(\w*)$/.exec(lines[at] ?? '');
    if (!fence) {
      before.push(lines[at] ?? '');
      continue;
    }
    const [, indent = '', language = ''] = fence;
    const start = at + 1;
    for (at = start; lines[at] !== `${indent}\`\`\``; at++) {
      if (at >= lines.length) throw new Error(`A block of ${path} does not end.`);
    }
    const text = lines
      .slice(start, at)
      .map((line) => line.slice(indent.length))
      .join('\n');
    blocks.push({ language, text, line: start, before: before.join('\n').trim() });
    before = [];
  }
  return blocks;
}

export interface Command {
  readonly block: Block;
  /** What the page says that it prints, if it says so. */
  readonly output: Block | undefined;
  /** Files that the page says to write before it, by name. */
  readonly files: ReadonlyMap<string, string>;
}

/** The commands of a page: its shell blocks, each with the block of output right after it. */
export function commandsOf(blocks: readonly Block[]): Command[] {
  let files = new Map<string, string>();
  return blocks.flatMap((block, index) => {
    const named = /as `([\w.]+\.(?:mjs|py))`[:.]?[^`]*$/.exec(block.before)?.[1];
    if (['js', 'python'].includes(block.language) && named !== undefined) files.set(named, block.text);
    if (block.language !== 'sh') return [];
    const next = blocks[index + 1];
    const isOutput = next?.before === '' && (next.language === 'json' || next.language === '');
    const command = { block, output: isOutput ? next : undefined, files };
    files = new Map();
    return [command];
  });
}

/** What differs each time. */
export function withoutAccidents(text: string): string {
  return text
    .trim()
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d\.\d{3}Z)?/g, '<time>');
}
