/** Opens the `<details>` of a document that contain a refusal or a refused field. */

const tags = /<details\b[^>]*>|<\/details>|<[a-z]+\b[^>]*\s(?:data-refusal|aria-invalid)(?=[\s=>])[^>]*>/g

/** The document with `open` on each `<details>` around a refusal or a refused field. */
export const openAround = (html: string): string => {
  const within: Array<number> = []
  const opened = new Set<number>()
  for (const { 0: tag, index } of html.matchAll(tags)) {
    if (tag === "</details>") within.pop()
    else if (tag.startsWith("<details")) within.push(index)
    else for (const start of within) opened.add(start)
  }
  return html.replace(
    /<details\b[^>]*>/g,
    (tag, start: number) => opened.has(start) && !/\sopen(?=[\s=>])/.test(tag) ? tag.replace("<details", "<details open") : tag
  )
}
