/** The OpenAPI 3.1 document of the registry, and its route. */
import { HttpApiBuilder, HttpServerResponse, OpenApi } from "@effect/platform"
import { Context, Effect, Layer, Predicate, type Types } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { cookieName } from "../guard/SessionCookie.ts"
import { type Definitions, exampleOf, resolved } from "./Examples.ts"
import { tidy } from "./JsonSchemas.ts"
import { errorResponses, errorSchema, failuresOf } from "./OpenApiErrors.ts"
import { type Operation, operations } from "./Operations.ts"
import { only, referred } from "./References.ts"

/** The access requirement as a sentence. */
const needsOf = ({ leastRole, scope }: Operation): string => {
  if (scope === "public") return "No API key required."
  const role = leastRole === "admin" || leastRole === "owner" ? ` and the ${leastRole} role` : ""
  return `Requires the ${scope} scope${role}.`
}

/** A key or a session; the list contains the required scope. */
const securityOf = ({ scope }: Operation) => (scope === "public" ? [] : [{ bearer: [scope] }, { session: [scope] }])

type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema => Predicate.isRecord(value)

/** A parameter, with the description of its schema. */
const parameter = ({ description: _, ...found }: OpenApi.OpenAPISpecParameter, definitions: Definitions) => {
  const schema = tidy(found.schema)
  const { description } = isSchema(schema) ? resolved(schema, definitions) : {}
  return {
    ...found,
    ...(Predicate.isString(description) ? { description } : {}),
    schema,
    example: exampleOf(schema, definitions, "request").value
  }
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A unique string of up to 100 characters. The first successful response is kept for 24 hours and returned for repeats.",
  schema: { type: "string", maxLength: 100 },
  example: "deploy-2026-11-20-1"
} as const

/** Whether the operation accepts an idempotency key. */
const isIdempotent = ({ method, scope }: Operation) => method === "POST" && scope !== "public"

const parametersOf = (operation: Operation, found: OpenApi.OpenAPISpecOperation, definitions: Definitions) => [
  ...found.parameters.map((one) => parameter(one, definitions)),
  ...(isIdempotent(operation) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : [])
]

const needsBody = ({ payload }: Operation) =>
  payload._tag === "Some" && payload.value.ast._tag === "TypeLiteral" &&
  payload.value.ast.propertySignatures.some(({ isOptional }) => !isOptional)

/** The named schemas, and a lookup by content. */
interface Known {
  readonly definitions: Definitions
  /** Replaces an inlined schema by a reference: annotating an endpoint's schema with a status drops its name. */
  readonly byName: (schema: unknown) => unknown
}

const known = (definitions: Definitions): Known => {
  const names = new Map(Object.entries(definitions).map(([name, schema]) => [JSON.stringify(schema), name]))
  return {
    definitions,
    byName: (schema) => {
      const name = names.get(JSON.stringify(schema))
      return name === undefined ? schema : { $ref: `#/components/schemas/${name}` }
    }
  }
}

type Content = NonNullable<OpenApi.OpenApiSpecResponse["content"]>

const withExamples = (content: Content, { byName, definitions }: Known, purpose: "request" | "answer") =>
  Object.fromEntries(
    Object.entries(content).map(([type, found]) => {
      const schema = tidy(found.schema)
      return [type, { schema: byName(schema), example: exampleOf(schema, definitions, purpose).value }]
    })
  )

const successMeanings: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted; processing continues in the background"
}

const successOf = ({ success }: Operation, found: OpenApi.OpenAPISpecOperation, known: Known) => {
  const { content } = found.responses[success] ?? {}
  return {
    description: successMeanings[success] ?? "Success",
    ...(content === undefined ? {} : { content: withExamples(content, known, "answer") })
  }
}

/** The document's entry for an operation. */
const described = (
  operation: Operation,
  { requestBody, ...found }: OpenApi.OpenAPISpecOperation,
  known: Known
) => ({
  ...found,
  operationId: operation.id,
  description: [operation.description, needsOf(operation)].filter(Predicate.isNotNull).join(" "),
  security: securityOf(operation),
  parameters: parametersOf(operation, found, known.definitions),
  // A body without required fields may be omitted.
  ...(requestBody === undefined ? {} : {
    requestBody: {
      content: withExamples(requestBody.content, known, "request"),
      required: needsBody(operation)
    }
  }),
  responses: {
    [operation.success]: successOf(operation, found, known),
    ...Object.fromEntries(
      failuresOf(operation).map(({ name, status }) => [status, { $ref: `#/components/responses/${name}` }])
    )
  }
})

const specPath = (path: string) => path.replace(/:(\w+)/g, "{$1}")

/** The type of an operation in the document. */
export interface DescribedOperation extends Types.Simplify<ReturnType<typeof described>> {}

const pathsOf = (spec: OpenApi.OpenAPISpec, known: Known) => {
  const paths: Record<string, Record<string, DescribedOperation>> = {}
  for (const operation of operations) {
    const path = specPath(operation.path)
    const method = operation.method.toLowerCase()
    const found = Object.entries(spec.paths[path] ?? {}).find(([name]) => name === method)?.[1]
    if (found !== undefined) paths[path] = { ...paths[path], [method]: described(operation, found, known) }
  }
  return paths
}

const securitySchemes = (baseUrl: string) => ({
  bearer: { type: "http", scheme: "bearer", description: "An API key: `Authorization: Bearer bell_live_...`" },
  session: {
    type: "apiKey",
    in: "cookie",
    name: cookieName(baseUrl),
    description: "The session cookie of a signed-in person. Writes must come from a page of this service."
  }
})

const definitionsOf = ({ components }: OpenApi.OpenAPISpec): Definitions =>
  Object.fromEntries(Object.entries(components.schemas).map(([name, schema]) => [name, tidy(schema)]))

/** Builds the document for the service at `baseUrl`. */
export const openApiDocument = (baseUrl: string) => {
  const spec = OpenApi.fromApi(Api)
  const schemas: Definitions = { ...definitionsOf(spec), Error: errorSchema }
  const paths = pathsOf(spec, known(schemas))
  const responses = only(errorResponses, referred(paths, "responses", errorResponses))
  return {
    ...spec,
    servers: [{ url: baseUrl }],
    paths,
    components: {
      schemas: only(schemas, referred({ paths, responses }, "schemas", schemas)),
      responses,
      parameters: { IdempotencyKey: idempotencyKey },
      securitySchemes: securitySchemes(baseUrl)
    }
  }
}

/** The type of the served document. */
export type OpenApiDocument = ReturnType<typeof openApiDocument>

/** The document of this deployment, built on first use so that it does not delay startup. */
export class Document extends Context.Tag("belltower/OpenApiDocument")<Document, Effect.Effect<OpenApiDocument>>() {
  static readonly layer: Layer.Layer<Document, never, BaseUrl> = Layer.effect(
    Document,
    Effect.flatMap(BaseUrl, (baseUrl) => Effect.cached(Effect.sync(() => openApiDocument(baseUrl))))
  )
}

/** Serves the document, which is encoded once. */
export const layer: Layer.Layer<never, never, Document> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    const document = yield* Document
    const response = yield* Effect.cached(
      Effect.map(document, (spec) => HttpServerResponse.text(JSON.stringify(spec), { contentType: "application/json" }))
    )
    yield* router.get("/api/v1/openapi.json", response)
  })
)
