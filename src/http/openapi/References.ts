/** Finds the components that a part of the OpenAPI document references. */
import type { Steps } from "../../domain/tools/Steps.ts"
import type { Definitions } from "./Examples.ts"

/** The names in a section of the components that `parts` reference, directly or transitively. A part is a step. */
export function* referred(
  parts: ReadonlyArray<unknown>,
  section: string,
  components: Definitions
): Steps<ReadonlySet<string>> {
  const seen = new Set<string>()
  const visit = (one: unknown) => {
    for (const [, name] of JSON.stringify(one).matchAll(new RegExp(`"#/components/${section}/([^"]+)"`, "g"))) {
      if (name === undefined || seen.has(name)) continue
      seen.add(name)
      visit(components[name] ?? null)
    }
  }
  for (const part of parts) {
    visit(part)
    yield
  }
  return seen
}

export const only = (components: Definitions, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(components).filter(([name]) => names.has(name)))
