import mongoose from 'mongoose';
import type { Field } from './fields.ts';

type Fields = Readonly<Record<string, Field<unknown>>>;
type ReadAs<F> = F extends Field<infer T> ? T : never;
type OptionalKey<F> = { [K in keyof F]: undefined extends ReadAs<F[K]> ? K : never }[keyof F];

/** The type of a document with these fields. */
export type Stored<F> = { -readonly [K in keyof Omit<F, OptionalKey<F>>]: ReadAs<F[K]> } & {
  -readonly [K in keyof Pick<F, OptionalKey<F>>]?: ReadAs<F[K]>;
};

/** Each field is said once: the schema is made of the same value as the type, `Stored<typeof fields>`. */
export function schemaOf<F extends Fields>(
  fields: F,
  options: { readonly collection: string; readonly minimize?: false; readonly id?: false },
): mongoose.Schema<Stored<F>> {
  return new mongoose.Schema<Stored<F>>(fields as never, { versionKey: false, ...options });
}

/** Of a part of a document, which has no id of its own. */
export function partSchemaOf<F extends Fields>(fields: F): mongoose.Schema<Stored<F>> {
  return new mongoose.Schema<Stored<F>>(fields as never, { _id: false });
}
