/** The tokenizer of GPT-4o and what came after it, in JavaScript and without a download: MIT, exact by its own tests against OpenAI's tiktoken. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** What a text takes of a model's context. */
export function sizeOf(text: string): { readonly bytes: number; readonly tokens: number } {
  // Whatever looks like one of the model's own signs is text like any other.
  return { bytes: Buffer.byteLength(text), tokens: countTokens(text, { disallowedSpecial: new Set() }) };
}
