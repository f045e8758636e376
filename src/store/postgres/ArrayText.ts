/** Arrays as PostgreSQL reads them: pg's own way takes each value apart twice, which cost more than the rest of an insert. */

/** Nothing in it that means something to the reader of an array. */
const plain = /^[\w.:+-]+$/

const special = /["\\]/g

const elementText = (value: string | number | boolean | null): string => {
  if (value === null) return "NULL"
  const text = String(value)
  return plain.test(text) && text.toUpperCase() !== "NULL" ? text : `"${text.replace(special, "\\$&")}"`
}

/** An array's text, to be cast to its type where it is used (PostgreSQL manual, section 8.15.6). */
export const arrayText = (values: ReadonlyArray<string | number | boolean | null>): string =>
  `{${values.map(elementText).join(",")}}`
