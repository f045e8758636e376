/** Fills a document in from the environment, so that its secrets need not be in the file: `${NAME}` in any text. */

/** `$${` stands for `${` itself. */
const placeholder = /\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

export const fillIn = (document: unknown, environment: Readonly<Record<string, string | undefined>>) => {
  const missing = new Set<string>()
  const text = (given: string): string =>
    given.replace(placeholder, (whole, name: string) => {
      if (whole.startsWith("$$")) return whole.slice(1)
      const value = environment[name]
      if (value === undefined || value === "") missing.add(name)
      return value ?? ""
    })
  const fill = (value: unknown): unknown =>
    typeof value === "string"
      ? text(value)
      : Array.isArray(value)
      ? value.map(fill)
      : typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner)]))
      : value
  return { value: fill(document), missing: [...missing] }
}
