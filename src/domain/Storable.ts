/** Text from outside as PostgreSQL takes it: no NUL and no half of a surrogate pair, which jsonb and text refuse. */

/** Each offending character becomes U+FFFD. */
export const storable = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, "\uFFFD")

const unstorable = /\0|\p{Surrogate}/u

/** Whether PostgreSQL stores a text as it is. */
export const isStorable = (text: string): boolean => !unstorable.test(text)
