/** The OpenAPI 3.1 document of the registry, and its route. */
import { HttpApiBuilder, HttpServerResponse, type OpenApi } from "@effect/platform"
import { Context, Effect, Layer, Predicate, type Types } from "effect"
import type { EventType } from "../../../schema/event/Event.ts"
import { jsonInSteps, mapInSteps, type Steps } from "../../domain/tools/Steps.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import { cookieName } from "../guard/SessionCookie.ts"
import { eventExample } from "./EventExamples.ts"
import { type Definitions, exampleOf, resolved } from "./Examples.ts"
import { specSteps } from "./GroupSpecs.ts"
import { tidy, withoutUriFormat } from "./JsonSchemas.ts"
import { type NamedSchemas, namedSchemas } from "./NamedSchemas.ts"
import { errorResponses, errorSchema, failuresOf } from "./OpenApiErrors.ts"
import { isIdempotent, type Operation, operations } from "./Operations.ts"
import { only, referred } from "./References.ts"
import { webhookBodies, webhooks } from "./Webhooks.ts"

const needsOf = ({ leastRole, scope }: Operation): string => {
  if (scope === "public") return "No API key required."
  const role = leastRole === "admin" || leastRole === "owner" ? ` and the ${leastRole} role` : ""
  return `Requires the ${scope} scope${role}.`
}

/** A key or a session; the list contains the required scope. */
const securityOf = ({ scope }: Operation) => (scope === "public" ? [] : [{ bearer: [scope] }, { session: [scope] }])

/** A parameter, with the description of its schema. */
const parameter = ({ description: _, ...found }: OpenApi.OpenAPISpecParameter, definitions: Definitions) => {
  const schema = tidy(found.schema)
  const { description } = Predicate.isRecord(schema) ? resolved(schema, definitions) : {}
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
  schema: { type: "string", minLength: 1, maxLength: 100 },
  example: "deploy-2026-11-20-1"
} as const

const parametersOf = (operation: Operation, found: OpenApi.OpenAPISpecOperation, definitions: Definitions) => [
  ...found.parameters.map((one) => parameter(one, definitions)),
  ...(isIdempotent(operation) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : [])
]

const needsBody = ({ payload }: Operation) =>
  payload._tag === "Some" && payload.value.ast._tag === "TypeLiteral" &&
  payload.value.ast.propertySignatures.some(({ isOptional }) => !isOptional)

type Content = NonNullable<OpenApi.OpenApiSpecResponse["content"]>

const withExamples = (content: Content, { definitions, shown }: NamedSchemas, scope: string, purpose: "request" | "answer") =>
  Object.fromEntries(
    Object.entries(content).map(([type, found]) => {
      const given = shown(tidy(found.schema), scope)
      const schema = purpose === "answer" ? withoutUriFormat(given) : given
      return [type, { schema, example: exampleOf(schema, definitions, purpose).value }]
    })
  )

const successMeanings: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted; processing continues in the background"
}

const successOf = ({ id, success, otherForm }: Operation, found: OpenApi.OpenAPISpecOperation, known: NamedSchemas) => {
  const { content } = found.responses[success] ?? {}
  const forms = Object.entries(content ?? {}).flatMap(([type, form]) =>
    [type, ...(otherForm === null ? [] : [otherForm])].map((name) => [name, form] as const)
  )
  return {
    description: successMeanings[success] ?? "Success",
    ...(content === undefined ? {} : { content: withExamples(Object.fromEntries(forms), known, id, "answer") })
  }
}

const described = (
  operation: Operation,
  { requestBody, ...found }: OpenApi.OpenAPISpecOperation,
  known: NamedSchemas
) => ({
  ...found,
  operationId: operation.id,
  description: [operation.description, needsOf(operation)].filter(Predicate.isNotNull).join(" "),
  security: securityOf(operation),
  parameters: parametersOf(operation, found, known.definitions),
  // A body without required fields may be omitted.
  ...(requestBody === undefined ? {} : {
    requestBody: {
      content: withExamples(requestBody.content, known, operation.id, "request"),
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

export interface DescribedOperation extends Types.Simplify<ReturnType<typeof described>> {}

interface Described {
  readonly path: string
  readonly method: string
  readonly operation: DescribedOperation
}

const entryOf = (spec: OpenApi.OpenAPISpec, known: NamedSchemas) => (operation: Operation): ReadonlyArray<Described> => {
  const path = specPath(operation.path)
  const method = operation.method.toLowerCase()
  const found = Object.entries(spec.paths[path] ?? {}).find(([name]) => name === method)?.[1]
  return found === undefined ? [] : [{ path, method, operation: described(operation, found, known) }]
}

const byPath = (entries: ReadonlyArray<Described>) => {
  const paths: Record<string, Record<string, DescribedOperation>> = {}
  for (const { method, operation, path } of entries) paths[path] = { ...paths[path], [method]: operation }
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

const webhookContent = (bodies: Readonly<Record<string, unknown>>, { definitions, shown }: NamedSchemas) => (type: EventType) => {
  const schema = shown(tidy(bodies[type]), "Webhook")
  return { schema, example: eventExample(type, exampleOf(schema, definitions, "answer").value) }
}

const perStep = 8

export function* openApiSteps(baseUrl: string) {
  const spec: OpenApi.OpenAPISpec = yield* specSteps()
  const { components, ...rest } = spec
  const generated: Record<string, unknown> = { ...components.schemas }
  const bodies = webhookBodies(generated)
  yield
  const known = yield* namedSchemas({ ...generated, Error: errorSchema })
  yield
  const paths = byPath((yield* mapInSteps(operations, perStep, entryOf(spec, known))).flat())
  yield
  const sent = webhooks(webhookContent(bodies, known))
  yield
  const responses = only(errorResponses, yield* referred(Object.values(paths), "responses", errorResponses))
  const parts = [...Object.values(paths), ...Object.values(sent), responses]
  const answers = Object.values(paths).flatMap((methods) => Object.values(methods).map((operation) => operation.responses))
  const answered = yield* referred(answers, "schemas", known.definitions)
  const schemas = Object.fromEntries(
    Object.entries(only(known.definitions, yield* referred(parts, "schemas", known.definitions))).map(([name, schema]) => [
      name,
      answered.has(name) ? withoutUriFormat(schema) : schema
    ])
  )
  return {
    ...rest,
    info: { ...spec.info, contact: { name: "The operator of this service", url: `${baseUrl}/docs` } },
    servers: [{ url: baseUrl }],
    paths,
    webhooks: sent,
    components: {
      schemas,
      responses,
      parameters: { IdempotencyKey: idempotencyKey },
      securitySchemes: securitySchemes(baseUrl)
    }
  }
}

export type OpenApiDocument = ReturnType<typeof openApiSteps> extends Steps<infer A> ? A : never

/** The document of this deployment, built on first use so that it does not delay startup, over many turns. */
export class Document extends Context.Tag("belltower/OpenApiDocument")<Document, Effect.Effect<OpenApiDocument>>() {
  static readonly layer: Layer.Layer<Document, never, BaseUrl> = Layer.effect(
    Document,
    Effect.flatMap(BaseUrl, (baseUrl) => Effect.cached(overTurns(openApiSteps(baseUrl))))
  )
}

const texts = new WeakMap<OpenApiDocument, string>()

/** Operations and schemas are encoded one by one: three levels down. */
const encodedApart = 3

/** The document as JSON, encoded once, over many turns. */
export const documentText = (document: OpenApiDocument): Effect.Effect<string> =>
  Effect.suspend(() => {
    const known = texts.get(document)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.tap(overTurns(jsonInSteps(document, encodedApart)), (text) => Effect.sync(() => texts.set(document, text)))
  })

export const layer: Layer.Layer<never, never, Document> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    const document = yield* Document
    const response = yield* Effect.cached(
      Effect.map(Effect.flatMap(document, documentText), (text) =>
        HttpServerResponse.text(text, { contentType: "application/json" }))
    )
    yield* router.get("/api/v1/openapi.json", response)
  })
)
