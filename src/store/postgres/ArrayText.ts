/** Encodes arrays in PostgreSQL's text format. pg escapes each value twice, which costs more than the rest of an insert. */

/** Text without characters that need quotes in an array. */
const plain = /^[\w.:+-]+$/

const special = /["\\]/g

const elementText = (value: string | number | boolean | null): string => {
  if (value === null) return "NULL"
  const text = String(value)
  return plain.test(text) && text.toUpperCase() !== "NULL" ? text : `"${text.replace(special, "\\$&")}"`
}

/** The text of an array; cast it to its type in the query (PostgreSQL manual, section 8.15.6). */
export const arrayText = (values: ReadonlyArray<string | number | boolean | null>): string =>
  `{${values.map(elementText).join(",")}}`
