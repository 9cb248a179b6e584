import { pbkdf2Async } from '@noble/hashes/pbkdf2.js';
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { nextTick } from '@noble/hashes/utils.js';
import { deriveKey as pbkdf2 } from 'altcha-lib/algorithms/web/pbkdf2';
import { deriveKey as sha } from 'altcha-lib/algorithms/web/sha';
import type { DeriveKeyFunction } from 'altcha-lib/types';

/** Half a frame: if the solver has no thread of its own, it yields to the page this often. */
const MAX_BLOCKING_MS = 8;

const HASHES = { 'SHA-256': sha256, 'SHA-384': sha384, 'SHA-512': sha512 } as const;

/** The browser's own cryptography; it runs off the calling thread, but exists on https and localhost only. */
const byBrowser: DeriveKeyFunction = (parameters, salt, password) =>
  (parameters.algorithm.startsWith('PBKDF2/') ? pbkdf2 : sha)(parameters, salt, password);

let lastYieldMs = 0;

/** The same in JavaScript, for pages on plain http. */
const byScript: DeriveKeyFunction = async ({ algorithm, cost, keyLength = 32 }, salt, password) => {
  if (performance.now() - lastYieldMs > MAX_BLOCKING_MS) {
    await nextTick();
    lastYieldMs = performance.now();
  }
  const hash = HASHES[algorithm.replace('PBKDF2/', '') as keyof typeof HASHES];
  if (!hash) throw new Error(`Unsupported algorithm: ${algorithm}`);
  if (algorithm.startsWith('PBKDF2/')) {
    const derivedKey = await pbkdf2Async(hash, password, salt, {
      c: cost,
      dkLen: keyLength,
      asyncTick: MAX_BLOCKING_MS,
    });
    return { derivedKey };
  }
  let derivedKey = hash.create().update(salt).update(password).digest();
  for (let round = 1; round < cost; round++) derivedKey = hash(derivedKey);
  return { derivedKey: derivedKey.slice(0, keyLength) };
};

export const deriveKey: DeriveKeyFunction = globalThis.crypto?.subtle ? byBrowser : byScript;
