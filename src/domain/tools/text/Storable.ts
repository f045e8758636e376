/** Makes external text acceptable to PostgreSQL, whose jsonb and text types reject NUL and unpaired surrogates. */

/** Replaces each rejected character with U+FFFD. */
export const storable = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, "\uFFFD")

const unstorable = /\0|\p{Surrogate}/u

export const isStorable = (text: string): boolean => !unstorable.test(text)
