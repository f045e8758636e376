/** Which components of the OpenAPI document a part of it refers to. */
import type { Definitions } from "./Examples.ts"

/** What parts of the document refer to in a section of its components, directly or through others. */
export const referred = (part: unknown, section: string, components: Definitions): ReadonlySet<string> => {
  const seen = new Set<string>()
  const visit = (one: unknown) => {
    for (const [, name] of JSON.stringify(one).matchAll(new RegExp(`"#/components/${section}/([^"]+)"`, "g"))) {
      if (name === undefined || seen.has(name)) continue
      seen.add(name)
      visit(components[name] ?? null)
    }
  }
  visit(part)
  return seen
}

/** The components of these names. */
export const only = (components: Definitions, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(components).filter(([name]) => names.has(name)))
