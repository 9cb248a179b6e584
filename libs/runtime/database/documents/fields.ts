import mongoose from 'mongoose';

declare const READ_AS: unique symbol;

/** One field of a stored document: how mongoose stores it, and (for the compiler alone) what it is read as. */
export interface Field<T> {
  readonly type: unknown;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly T[];
  readonly [READ_AS]?: () => T;
}

/** @param among the only values that are stored */
export const text = <T extends string = string>(among?: readonly T[]): Field<T> => ({
  type: String,
  required: true,
  ...(among && { enum: among }),
});
export const texts = <T extends string = string>(): Field<T[]> => ({ type: [String], required: true });
export const number = (): Field<number> => ({ type: Number, required: true });
export const flag = <T extends boolean = boolean>(): Field<T> => ({ type: Boolean, required: true });
export const date = (): Field<Date> => ({ type: Date, required: true });
/** Stored as it is given. */
export const mixed = <T>(): Field<T> => ({ type: mongoose.Schema.Types.Mixed, required: true });
export const part = <T>(schema: mongoose.Schema<T>): Field<T> => ({ type: schema, required: true });
export const parts = <T>(schema: mongoose.Schema<T>): Field<T[]> => ({ type: [schema], required: true });

/** May be absent. */
export const optional = <T>({ type }: Field<T>): Field<T | undefined> => ({ type, default: undefined });
/** Stored as null unless it is given. */
export const nullable = <T>({ type }: Field<T>): Field<T | null> => ({ type, default: null });
/** Stored as this value unless another one is given. */
export const withDefault = <T>({ type }: Field<T>, value: T): Field<T> => ({ type, default: value });
