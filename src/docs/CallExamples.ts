/** Examples of one call in curl, TypeScript, Python and MCP, from the examples in the OpenAPI document. */
import { Predicate } from "effect"
import type { DescribedOperation } from "../http/openapi/OpenApiDocument.ts"
import type { Operation } from "../http/openapi/Operations.ts"

export interface CallExample {
  readonly language: "curl" | "TypeScript" | "Python" | "MCP"
  readonly code: string
}

/** The call in every example. Query fields are omitted: none is required. */
interface Call {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly path: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly hasKey: boolean
}

const exampleText = (value: unknown): string => (Predicate.isString(value) ? value : JSON.stringify(value))

/** The example values of the path. */
const parametersOf = ({ parameters }: DescribedOperation) =>
  Object.fromEntries(
    parameters.flatMap((one) => ("in" in one && one.in === "path" && "example" in one ? [[one.name, one.example]] : []))
  )

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const curl = ({ body, hasKey, method, url }: Call): string =>
  [
    `curl -s${method === "GET" || (method === "POST" && body !== undefined) ? "" : ` -X ${method}`} ${url}`,
    ...(hasKey ? ["-H \"authorization: Bearer $KEY\""] : []),
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(body))}`])
  ].join(" \\\n  ")

/** Writes values in the notation of a language. */
const writer = (step: string, nameOf: (name: string) => string, constant: (value: unknown) => string) => {
  const write = (value: unknown, indent = ""): string => {
    const inner = indent + step
    if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.map((one) => write(one, indent)).join(", ")}]`
    if (!Predicate.isRecord(value)) return constant(value)
    const fields = Object.entries(value).map(([name, field]) => `${inner}${nameOf(name)}: ${write(field, inner)}`)
    return fields.length === 0 ? "{}" : `{\n${fields.join(",\n")}\n${indent}}`
  }
  return write
}

const quotedName = (name: string) => JSON.stringify(name)
const pythonWords: Readonly<Record<string, string>> = { null: "None", true: "True", false: "False" }
const literal = writer("  ", (name) => /^[A-Za-z_]\w*$/.test(name) ? name : quotedName(name), (value) => JSON.stringify(value))
const pythonLiteral = writer("    ", quotedName, (value) => pythonWords[String(value)] ?? JSON.stringify(value))

const inputOf = ({ body, path }: Call): Readonly<Record<string, unknown>> => ({
  ...path,
  ...(Predicate.isRecord(body) ? body : {})
})

const typeScript = (call: Call, baseUrl: string): string => {
  const input = inputOf(call)
  return [
    "import { createClient } from \"./client/index.js\"",
    "",
    `const belltower = createClient({ baseUrl: "${baseUrl}"${call.hasKey ? ", apiKey: process.env.KEY" : ""} })`,
    `const answer = await belltower.${call.id}(${Object.keys(input).length === 0 ? "" : literal(input)})`
  ].join("\n")
}

const python = ({ body, hasKey, method, url }: Call): string =>
  [
    ...(hasKey ? ["import os", ""] : []),
    "import requests",
    "",
    `answer = requests.${method.toLowerCase()}(`,
    [
      `    ${JSON.stringify(url)}`,
      ...(hasKey ? ["    headers={\"authorization\": f\"Bearer {os.environ['KEY']}\"}"] : []),
      ...(body === undefined ? [] : [`    json=${pythonLiteral(body, "    ")}`]),
      "    timeout=30"
    ].join(",\n"),
    ")",
    "answer.raise_for_status()",
    "print(answer.json())"
  ].join("\n")

const mcp = (call: Call): string =>
  JSON.stringify({ method: "tools/call", params: { name: call.id, arguments: inputOf(call) } }, null, 2)

export const callExamples = (
  baseUrl: string,
  operation: Operation,
  described: DescribedOperation
): ReadonlyArray<CallExample> => {
  const path = parametersOf(described)
  const call: Call = {
    id: operation.id,
    method: operation.method,
    url: baseUrl + operation.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(exampleText(path[name] ?? name))),
    path,
    body: described.requestBody?.content["application/json"]?.example,
    hasKey: operation.scope !== "public"
  }
  return [
    { language: "curl", code: curl(call) },
    { language: "TypeScript", code: typeScript(call, baseUrl) },
    { language: "Python", code: python(call) },
    { language: "MCP", code: mcp(call) }
  ]
}
