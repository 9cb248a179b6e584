import { type Arguments, mended } from './mending.ts';
import { RIGHT_CALLS, type Setting } from './right-calls.ts';
import type { ToolClient } from './tool-client.ts';
import { type Tool, wrongWays } from './wrong.ts';

/** A model that has read two errors tries a third time; one that has read three asks a person. */
const MAX_TRIES = 2;

export interface Repairs {
  /** Calls that were refused. What is taken as it is needs no mending: an argument with a default that was left out, for example. */
  readonly refused: number;
  readonly mended: number;
  readonly unmended: readonly string[];
  /** Arguments that no call was made with, by tool. */
  readonly untried: readonly string[];
}

/** Makes each argument of each tool wrong in each way, and lets the program mend what is refused. */
export async function repair(client: ToolClient, tools: readonly Tool[], setting: Setting): Promise<Repairs> {
  let refused = 0;
  const unmended: string[] = [];
  const untried: string[] = [];
  for (const tool of tools) {
    const tried = new Set<string>();
    for (const make of RIGHT_CALLS[tool.name] ?? []) {
      const right = await make(setting);
      const accepted = await client.call(tool.name, right);
      if (accepted.isError) throw new Error(`The right call of ${tool.name} was refused: ${accepted.text}`);
      for (const way of wrongWays(tool, right).keys()) {
        // On things of its own, since the call before has changed its.
        const known = await make(setting);
        const { argument, how, args } = wrongWays(tool, known)[way] as ReturnType<typeof wrongWays>[number];
        tried.add(argument);
        const outcome = await repaired(client, tool.name, args, known);
        if (outcome === 'taken as it is') continue;
        refused++;
        if (outcome !== 'mended') unmended.push(`${tool.name}: ${argument} ${how}: ${outcome}`);
      }
    }
    const listed = Object.keys(tool.inputSchema.properties ?? {});
    untried.push(...listed.filter((name) => !tried.has(name)).map((name) => `${tool.name}.${name}`));
  }
  return { refused, mended: refused - unmended.length, unmended, untried };
}

async function repaired(client: ToolClient, tool: string, wrong: Arguments, known: Arguments): Promise<string> {
  let args = wrong;
  for (let tries = 0; ; tries++) {
    const { isError, text } = await client.call(tool, args);
    if (!isError) return tries === 0 ? 'taken as it is' : 'mended';
    const next = tries === MAX_TRIES ? undefined : mended(args, text, known);
    if (!next || JSON.stringify(next) === JSON.stringify(args)) return text;
    args = next;
  }
}
