/** Builds a curl command for an operation from the examples in the OpenAPI document. */
import { Predicate } from "effect"
import type { DescribedOperation } from "../http/openapi/OpenApiDocument.ts"
import type { Operation } from "../http/openapi/Operations.ts"

const exampleText = (value: unknown): string => (Predicate.isString(value) ? value : JSON.stringify(value))

/** The example values of the path or query parameters. */
const examplesOf = ({ parameters }: DescribedOperation, place: "path" | "query") =>
  parameters.flatMap((
    one
  ) => ("in" in one && one.in === place && "example" in one ? [[one.name, exampleText(one.example)] as const] : []))

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Omits query fields: none is required, so the command runs without them. */
export const curlOf = (baseUrl: string, operation: Operation, described: DescribedOperation): string => {
  const places = new Map(examplesOf(described, "path"))
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(places.get(name) ?? name))
  const body = described.requestBody?.content["application/json"]?.example
  return [
    `curl -s${
      operation.method === "GET" || (operation.method === "POST" && body !== undefined) ? "" : ` -X ${operation.method}`
    } ${baseUrl}${path}`,
    ...(operation.scope === "public" ? [] : ["-H \"authorization: Bearer $KEY\""]),
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(body))}`])
  ].join(" \\\n  ")
}
