/** A call of an operation as text to copy: for a shell, for TypeScript and for an MCP client. Server and browser share it. */
import type { Json } from "./FormBody.ts"

export interface CallShape {
  readonly id: string
  readonly method: string
  /** With its parameters: `/api/v1/monitors/:id`. */
  readonly path: string
  readonly query: ReadonlyArray<string>
  /** MCP does not offer operations on one's own account. */
  readonly isTool: boolean
}

export type CallArguments = Readonly<Record<string, Json | undefined>>

const pathNames = (path: string): ReadonlyArray<string> => [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name)

const text = (value: Json | undefined): string =>
  typeof value === "string" ? value : Array.isArray(value) ? value.map(text).join(",") : JSON.stringify(value ?? "")

const addressOf = (baseUrl: string, { path, query }: CallShape, given: CallArguments): string => {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = given[name]
    return value === undefined ? `{${name}}` : encodeURIComponent(text(value))
  })
  const pairs = query.flatMap((name) => {
    const value = given[name]
    return value === undefined || value === null ? [] : [`${name}=${encodeURIComponent(text(value))}`]
  })
  return `${baseUrl}${filled}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}`
}

const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`

export const snippetsOf = (baseUrl: string, shape: CallShape, given: CallArguments) => {
  const elsewhere = [...pathNames(shape.path), ...shape.query]
  const body = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => !elsewhere.includes(name) && value !== undefined)
  )
  const hasBody = shape.method !== "GET" && shape.method !== "DELETE"
  const url = addressOf(baseUrl, shape, given)
  const curl = [
    `curl${shape.method === "GET" ? "" : ` -X ${shape.method}`} ${quoted(url)}`,
    `  -H "Authorization: Bearer $BELLTOWER_API_KEY"`,
    ...(hasBody ? [`  -H 'Content-Type: application/json'`, `  -d ${quoted(JSON.stringify(body))}`] : [])
  ].join(" \\\n")
  const options = [
    ...(shape.method === "GET" ? [] : [`  method: "${shape.method}",`]),
    hasBody
      ? `  headers: { authorization: \`Bearer \${apiKey}\`, "content-type": "application/json" },`
      : `  headers: { authorization: \`Bearer \${apiKey}\` },`,
    ...(hasBody ? [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll("\n", "\n  ")})`] : [])
  ]
  return {
    curl,
    typescript: `const response = await fetch(${JSON.stringify(url)}, {\n${options.join("\n")}\n})`,
    mcp: JSON.stringify({ method: "tools/call", params: { name: shape.id, arguments: given } }, null, 2)
  }
}
