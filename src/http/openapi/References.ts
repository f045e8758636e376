/** Finds the components that a part of the OpenAPI document references. */
import type { Definitions } from "./Examples.ts"

/** The names in a section of the components that `part` references, directly or transitively. */
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

/** The components with these names. */
export const only = (components: Definitions, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(components).filter(([name]) => names.has(name)))
