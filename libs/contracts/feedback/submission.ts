import { z } from 'zod';
import { Category } from './records.ts';

export const MAX_MESSAGE_CODE_POINTS = 5_000;
/** RFC 5321 leaves 254 characters for an address between its angle brackets. */
export const MAX_EMAIL_LENGTH = 254;
const MAX_PAGE_URL_LENGTH = 2_048;
/** RFC 5646 section 4.4.1 requires at least 35. */
const MAX_LOCALE_LENGTH = 64;

/** Rejects what no store or reader can handle: NUL, and half of a surrogate pair, which is not a character at all. */
const Text = z
  .string()
  .refine((value) => !value.includes('\0'), 'must not contain NUL characters')
  .refine((value) => value.isWellFormed(), 'must not contain lone surrogates');

/** Forms send empty fields as empty strings: treated as absent. */
function optionalText<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema.optional());
}

/** Nobody sees spaces of no width, marks of direction and fillers either: alone they would be an empty line in the inbox. */
const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

const Message = Text.refine(hasAllowedLength, `must have at most ${MAX_MESSAGE_CODE_POINTS} characters`)
  .refine((value) => VISIBLE.test(value), 'must not be empty or only white space')
  // JSON Schema counts code points, zod's own `max` UTF-16 units.
  .meta({ minLength: 1, maxLength: MAX_MESSAGE_CODE_POINTS });

/** Counted in code points, as a person would: a string of `length` UTF-16 units has at least half and at most that many. */
function hasAllowedLength(value: string): boolean {
  if (value.length <= MAX_MESSAGE_CODE_POINTS) return true;
  if (value.length > 2 * MAX_MESSAGE_CODE_POINTS) return false;
  let codePoints = 0;
  for (const _ of value) codePoints++;
  return codePoints <= MAX_MESSAGE_CODE_POINTS;
}

function isHttpUrl(value: string): boolean {
  if (/[\s\p{Cc}]/u.test(value)) return false;
  const url = URL.parse(value);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
}

/** What nearly everyone sends; asking Intl takes as long as validating everything else. */
const COMMON_LANGUAGE_TAG = /^[a-z]{2}(?:-[A-Z]{2})?$/;

/** Language, script and region. Variants and extensions are accepted too, but no pattern says which of them are valid. */
const DESCRIBED_LANGUAGE_TAG = '^(?:[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?)?$';

function isLanguageTag(value: string): boolean {
  if (COMMON_LANGUAGE_TAG.test(value)) return true;
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}

/** What a person submits, in the public body and in the call to the feedback service. */
export const submissionFields = {
  message: Message,
  category: z.preprocess((value) => (value === '' ? undefined : value), Category.default('other')),
  email: optionalText(Text.max(MAX_EMAIL_LENGTH).pipe(z.email({ error: 'must be an e-mail address' }))),
  pageUrl: optionalText(Text.max(MAX_PAGE_URL_LENGTH).refine(isHttpUrl, 'must be an http or https URL')),
  locale: optionalText(
    Text.max(MAX_LOCALE_LENGTH)
      .refine(isLanguageTag, 'must be a BCP 47 language tag such as en or pt-BR')
      .meta({ pattern: DESCRIBED_LANGUAGE_TAG }),
  ),
};
