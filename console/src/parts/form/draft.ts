import { effect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { keep, kept, keptNames, unkeep, whenUnkept } from '../../kept.ts';
import { identity } from '../../session.ts';

const PREFIX = 'draft.';
/** Of all drafts in this browser: the oldest make room. */
const MAX_DRAFTS = 50;
/** After the last keystroke. */
const TYPING_MS = 300;

interface Kept {
  readonly text: string;
  /** What it was written upon, if it changes a text. */
  readonly base?: string;
  readonly atMs: number;
}

/**
 * A text that is kept until it is sent: in this browser, over reloads and signing out, for its author alone.
 * @param name what it is for, such as `comment.<id>`
 * @param begin what stands there before anything was written
 */
export function useDraft(name: string, begin = '') {
  const key = keyOf(name);
  const [text, setText] = useState(() => read(key)?.text ?? begin);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(text);
  /** Here: what another tab of this browser keeps under this name is left to it. */
  const isWritten = useRef(text !== begin);
  const isTypedHere = useRef(false);
  const store = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    write(key, { text: latest.current, atMs: Date.now() });
  };
  // What was typed last is not lost with the page, nor with the part of it, however soon after it was drawn: other effects begin a frame later.
  useLayoutEffect(() => {
    const flush = () => timer.current !== undefined && store();
    addEventListener('pagehide', flush);
    return () => {
      removeEventListener('pagehide', flush);
      flush();
    };
  }, [key]);
  // What another tab has begun goes from here, too, once it is sent there.
  useEffect(
    () =>
      whenUnkept(key, () => {
        if (isTypedHere.current) return;
        isWritten.current = false;
        latest.current = begin;
        setText(begin);
      }),
    [key, begin],
  );
  return {
    text,
    setText(changed: string) {
      isTypedHere.current = true;
      isWritten.current = true;
      latest.current = changed;
      setText(changed);
      clearTimeout(timer.current);
      timer.current = setTimeout(store, TYPING_MS);
    },
    /** Once it has been sent. */
    clear() {
      isTypedHere.current = false;
      latest.current = sinceSent(latest.current, text);
      setText(latest.current);
      if (isWritten.current) store();
    },
  };
}

/** What this tab writes drafts as, by name. */
const own = new Map<string, Promise<string>>();
const known = new Map<string, string>();
/** More tabs than anybody writes in share the last one. */
const MAX_OWN = 9;

/**
 * Where what has no place of its own is kept: two tabs do not write over each other, and what a closed one has left is the next one's.
 * @returns the name with which those of its drafts begin, once it is known
 */
export function useOwnDraft(name: string): string | undefined {
  const [found, setFound] = useState(known.get(name));
  useEffect(() => {
    const taking = own.get(name) ?? take(name);
    own.set(name, taking);
    void taking.then((taken) => {
      known.set(name, taken);
      setFound(taken);
    });
  }, [name]);
  return found;
}

/** For as long as the page is there. */
async function take(name: string): Promise<string> {
  const all = Array.from({ length: MAX_OWN }, (_, at) => (at === 0 ? name : `${name}${at + 1}`));
  const isBegun = (each: string) => keptNames(keyOf(`${each}.`)).length > 0;
  for (const each of [...all.filter(isBegun), ...all.filter((other) => !isBegun(other))]) {
    if (await isFree(PREFIX + each)) return each;
  }
  return name;
}

function isFree(lockName: string): Promise<boolean> {
  // Browsers have them only for https and this machine; without, tabs share the draft.
  if (!('locks' in navigator)) return Promise.resolve(true);
  return new Promise((resolve) => {
    void navigator.locks.request(lockName, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock && new Promise(() => {});
    });
  });
}

/** What was typed while a text was being sent is not lost with it. */
function sinceSent(now: string, sent: string): string {
  return now.startsWith(sent) ? now.slice(sent.length).trimStart() : now;
}

/** The same for what changes a text: with what it was written upon. */
export function draftOf(name: string): { readonly text: string; readonly base?: string } | undefined {
  return read(keyOf(name));
}

export function keepDraft(name: string, text: string, base: string): void {
  write(keyOf(name), { text, base, atMs: Date.now() });
}

export function dropDraft(name: string): void {
  unkeep(keyOf(name));
}

/** What was begun of whatever has these names: `comment.<name>`. */
export function draftsFor(names: readonly string[]): string[] {
  const found = keptNames(keyOf('')).filter((key) => names.some((name) => key.endsWith(`.${name}`)));
  return found.flatMap((key) => read(key)?.text || []);
}

/** Whoever is signed in, or was last: the end of a session takes the fields away, and what was written in some is kept only then. */
let author = '';
effect(() => {
  author = identity.value?.user.id ?? author;
});
const keyOf = (name: string) => `${PREFIX}${author}.${name}`;

function read(key: string): Kept | undefined {
  try {
    return JSON.parse(kept(key) ?? '') as Kept;
  } catch {
    return undefined;
  }
}

function write(key: string, draft: Kept): void {
  // An empty text changes one that is not.
  if (draft.text === (draft.base ?? '')) {
    unkeep(key);
    return;
  }
  keep(key, JSON.stringify(draft));
  const all = keptNames(PREFIX);
  if (all.length <= MAX_DRAFTS) return;
  const byAge = all.toSorted((one, other) => (read(one)?.atMs ?? 0) - (read(other)?.atMs ?? 0));
  for (const old of byAge.slice(0, all.length - MAX_DRAFTS)) unkeep(old);
}
