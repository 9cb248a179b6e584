import mongoose from 'mongoose';

/** The condition that a field, or an element of it, has one of these values. */
export const oneOf = (values: Iterable<string>) => mongoose.trusted({ $in: [...new Set(values)] });
