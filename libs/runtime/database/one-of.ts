import mongoose from 'mongoose';

/** The condition that a field, or an element of it, has one of these values. */
export const oneOf = <T>(values: Iterable<T>) => mongoose.trusted({ $in: [...new Set(values)] });
