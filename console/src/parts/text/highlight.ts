// highlight.js: kept for twenty years, and by itself a tenth of what the others need to begin with. Only what agents write most; CSS is left out, whose names take 4 kB.
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

for (const [name, language] of Object.entries({ bash, diff, go, json, python, sql, typescript, xml, yaml })) {
  hljs.registerLanguage(name, language);
}
hljs.registerAliases(['js', 'javascript', 'jsx'], { languageName: 'typescript' });

/** Above this, in characters, colouring would take longer than a frame. */
const MAX_CHARACTERS = 20_000;

/** The code as HTML with the classes of highlight.js; `undefined` if the language is not known. */
export function highlighted(code: string, language: string): string | undefined {
  if (code.length > MAX_CHARACTERS || !hljs.getLanguage(language)) return undefined;
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
