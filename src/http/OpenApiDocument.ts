/** The OpenAPI 3.1 document of the registry, and its route. */
import { HttpApiBuilder, HttpServerResponse, OpenApi } from "@effect/platform"
import { Array, Effect, type Layer, Order, Predicate } from "effect"
import { Api } from "../../schema/api/Api.ts"
import { BaseUrl } from "./BaseUrl.ts"
import { tidy } from "./JsonSchemas.ts"
import { type Operation, operations } from "./Operations.ts"

const meanings: Readonly<Record<number, string>> = {
  400: "Malformed request, such as a JSON body that is not an object (bad_request)",
  401: "Missing, malformed, revoked or expired key (unauthorized)",
  402: "The workspace plan does not allow it; details.upgrade names the plan that does (plan_limit)",
  403: "Authenticated, but not allowed, such as a write with a read-only key (forbidden)",
  404: "No such resource in this workspace (not_found)",
  409: "Already taken, or based on a stale version (conflict)",
  413: "The body is larger than 1 MiB (bad_request)",
  422: "Input failed validation; details is an array of {path, message} (validation_failed)",
  429: "Too many requests; Retry-After says when the next window begins (rate_limited)",
  500: "A fault of the server; retry with the same Idempotency-Key (internal)",
  503: "A dependency is unavailable; retry later (unavailable)"
}

const errorSchema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: {
        code: {
          type: "string",
          description: "Stable; decide by it",
          enum: [
            "bad_request", "unauthorized", "plan_limit", "forbidden", "not_found", "conflict", "validation_failed",
            "rate_limited", "internal", "unavailable"
          ]
        },
        message: { type: "string", description: "For people; the wording may change" },
        hint: { type: "string", description: "What to do next" },
        details: { description: "Structured context; of validation_failed an array of {path, message}" }
      }
    }
  }
} as const

/** Every status an operation may answer a failure with. */
const failuresOf = (operation: Operation): ReadonlyArray<number> => {
  const { payload, query, scope } = operation
  const hasBody = payload._tag === "Some"
  const statuses = [
    // HttpApi's own 400 is never answered, and every key may read.
    ...operation.errors.filter((status) => status !== 400 && (status !== 403 || scope !== "read")),
    ...(hasBody ? [400, 413] : []),
    ...(hasBody || query._tag === "Some" ? [422] : []),
    ...(scope === "public" ? [] : [401]),
    ...(scope === "write" ? [403] : []),
    500,
    503
  ]
  return Array.sort(Array.dedupe(statuses), Order.number)
}

const errorResponses = (operation: Operation) =>
  Object.fromEntries(failuresOf(operation).map((status) => [status, {
    description: meanings[status] ?? "Failure",
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } }
  }]))

const scopeNote = { public: "Needs no key.", read: "Needs a key with the read scope.", write: "Needs a key with the write scope." }

const described = (operation: Operation, found: OpenApi.OpenAPISpecOperation) => ({
  ...found,
  operationId: operation.id,
  description: [operation.description, scopeNote[operation.scope]].filter(Predicate.isNotNull).join(" "),
  // A body none of whose fields is required may be left out.
  ...(found.requestBody === undefined ? {} : { requestBody: { ...found.requestBody, required: needsBody(operation) } }),
  responses: { [operation.success]: found.responses[operation.success], ...errorResponses(operation) }
})

const needsBody = ({ payload }: Operation) =>
  payload._tag === "Some" && payload.value.ast._tag === "TypeLiteral" &&
  payload.value.ast.propertySignatures.some(({ isOptional }) => !isOptional)

/** The schemas that a part of the document refers to, directly or through others. */
const referred = (part: unknown, schemas: Readonly<Record<string, unknown>>, seen: Set<string>): Set<string> => {
  for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (name === undefined || seen.has(name)) continue
    seen.add(name)
    referred(schemas[name], schemas, seen)
  }
  return seen
}

const specPath = (path: string) => path.replace(/:(\w+)/g, "{$1}")

/** The document, for clients that reach the service at `baseUrl`. */
export const openApiDocument = (baseUrl: string) => {
  const made = OpenApi.fromApi(Api)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const path = specPath(operation.path)
    const method = operation.method.toLowerCase()
    const found = Object.entries(made.paths[path] ?? {}).find(([name]) => name === method)?.[1]
    if (found !== undefined) paths[path] = { ...paths[path], [method]: described(operation, found) }
  }
  const schemas = { ...made.components.schemas, Error: errorSchema }
  const used = referred(paths, schemas, new Set())
  return {
    ...made,
    servers: [{ url: baseUrl }],
    paths: tidy(paths),
    components: {
      schemas: tidy(Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))),
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API key: bell_live_..." }
      }
    }
  }
}

/** Built and encoded once. */
export const layer: Layer.Layer<never, never, BaseUrl> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    const document = JSON.stringify(openApiDocument(yield* BaseUrl))
    const response = HttpServerResponse.text(document, { contentType: "application/json" })
    yield* router.get("/api/v1/openapi.json", Effect.succeed(response))
  })
)
