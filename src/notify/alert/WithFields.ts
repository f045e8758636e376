/** Adds a channel's own fields, some of them secret, to the body that all channels of its type share. */

/** `body` is the text of a JSON object with at least one field. The rest of the text stays as it is. */
export const withFields = (body: string, fields: Readonly<Record<string, string>>): string =>
  `${JSON.stringify(fields).slice(0, -1)},${body.slice(1)}`
