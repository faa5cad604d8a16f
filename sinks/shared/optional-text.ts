import { Type } from 'typebox';

/** A field with a text of at least one character, or null, its default. */
export const optionalText = (description: string) =>
  Type.Union([Type.String({ minLength: 1 }), Type.Null()], { default: null, description });
