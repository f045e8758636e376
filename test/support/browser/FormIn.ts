/** A form as a browser without scripts would send it. */

export const unescaped = (text: string): string =>
  text.replaceAll("&quot;", "\"").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&#39;", "'").replaceAll(
    "&amp;",
    "&"
  )

export const attributeOf = (tag: string, name: string): string | null => {
  const found = new RegExp(`\\s${name}="([^"]*)"`, "i").exec(tag)
  return found === null ? null : unescaped(found[1] ?? "")
}

export interface FoundForm {
  readonly action: string
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>
}

export const controlTags = /<input[^>]*>|<select[^>]*>[\s\S]*?<\/select>|<textarea[^>]*>[\s\S]*?<\/textarea>/g

export const fieldOf = (tag: string): ReadonlyArray<readonly [string, string]> => {
  const name = attributeOf(tag, "name")
  if (name === null) return []
  if (tag.startsWith("<select")) {
    const options = [...tag.matchAll(/<option[^>]*>/g)].map(([option]) => option)
    const chosen = options.find((option) => /\sselected(?=[\s>=/])/.test(option)) ?? options[0] ?? ""
    return [[name, attributeOf(chosen, "value") ?? ""]]
  }
  if (tag.startsWith("<textarea")) return [[name, unescaped(tag.replace(/^<textarea[^>]*>|<\/textarea>$/g, ""))]]
  const isBox = /\stype="(?:checkbox|radio)"/.test(tag)
  return isBox && !/\schecked(?=[\s>=/])/.test(tag) ? [] : [[name, attributeOf(tag, "value") ?? ""]]
}

/** The form of an id in a document; null if it has none. */
export const formIn = (html: string, id: string): FoundForm | null => {
  const [, tag = "", inner = ""] = [...html.matchAll(/(<form[^>]*>)([\s\S]*?)<\/form>/g)]
    .find(([, open = ""]) => attributeOf(open, "id") === id) ?? []
  return tag === ""
    ? null
    : { action: attributeOf(tag, "action") ?? "", fields: (inner.match(controlTags) ?? []).flatMap(fieldOf) }
}

/** The fields with some of them changed, as a body; null removes a field. */
export const filledIn = (
  { fields }: FoundForm,
  changes: Readonly<Record<string, string | ReadonlyArray<string> | null>>
): string => {
  const kept = fields.filter(([name]) => !(name in changes))
  const changed = Object.entries(changes).flatMap(([name, value]) =>
    value === null ? [] : (typeof value === "string" ? [value] : value).map((one) => [name, one] as const)
  )
  return new URLSearchParams([...kept, ...changed].map(([name, value]) => [name, value])).toString()
}
