/** Merges query, body and path of a request into the fields of its operation, before HttpApi decodes them. */
import { Headers, HttpApiError, HttpMethod, type HttpRouter, type HttpServerRequest } from "@effect/platform"
import { Effect, Either, Option, type ParseResult, Predicate, Schema } from "effect"
import { type BadRequest, NotFound, type PayloadTooLarge, type ValidationFailed } from "../../../schema/Errors.ts"
import { isStorable, storable } from "../../domain/Storable.ts"
import type { Operation, PartSchema } from "../openapi/Operations.ts"
import { clippedFor } from "./ClippedInput.ts"
import { type FieldIssue, fieldIssues, maxIssues, unknownField, unstorableTexts, validationFailed } from "./FieldIssues.ts"
import { type FieldTypes, fieldTypes, fromTexts } from "./FieldTexts.ts"
import { mistakenIds } from "./MistakenIds.ts"
import { type Body, documentTextField, notJson, plainTextField, readBody } from "./RequestBody.ts"
import { withBody } from "./WithBody.ts"

type Request = HttpServerRequest.HttpServerRequest
type Texts = Readonly<Record<string, string | ReadonlyArray<string>>>
type Query = Readonly<Record<string, string | Array<string>>>
type Fields = Readonly<Record<string, unknown>>

const typesOf = (part: Option.Option<PartSchema>): FieldTypes =>
  Option.match(part, { onNone: () => new Map(), onSome: ({ ast }) => fieldTypes(ast) })

const only = <A>(fields: Readonly<Record<string, A>>, keep: (name: string) => boolean): Record<string, A> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => keep(name)))

const typed = (texts: Texts, types: FieldTypes): Fields =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const type = types.get(name)
      return [name, type === undefined ? text : fromTexts(text, type)]
    })
  )

const fieldsOf = (body: Body, types: FieldTypes): Effect.Effect<Fields, BadRequest> => {
  switch (body._tag) {
    case "Fields":
      return Effect.succeed(body.fields)
    case "Texts":
      return Effect.succeed(typed(body.fields, types))
    case "Text":
      return types.has(plainTextField)
        ? Effect.succeed({ [plainTextField]: body.text.trim() })
        : types.has(documentTextField)
        ? Effect.succeed({ [documentTextField]: body.text })
        : Effect.fail(notJson("The body is neither JSON nor a form"))
  }
}

const requireStorable = (fields: Fields): Effect.Effect<void, ValidationFailed> => {
  const issues = unstorableTexts(fields)
  return issues.length === 0 ? Effect.void : Effect.fail(validationFailed(issues))
}

/** Decodes a body strictly: an unknown field is an error, so misspellings are not silently ignored. */
const strictly = (schema: PartSchema) => {
  const decode = Schema.decodeUnknown(schema, { errors: "all", onExcessProperty: "error" })
  const clipped = clippedFor(schema.ast)
  const mistaken = mistakenIds(Option.some(schema))
  return {
    clipped: (fields: Fields): Fields => {
      const cut = clipped(fields)
      return Predicate.isRecord(cut) ? cut : fields
    },
    /** Takes clipped fields. */
    shape: (fields: Fields): Effect.Effect<void, ValidationFailed> =>
      Effect.mapError(Effect.asVoid(decode(fields)), (error) => validationFailed(fieldIssues(error))),
    /** Only after `shape` is the size of these fields known to be bounded. */
    texts: (fields: Fields): Effect.Effect<void, ValidationFailed> =>
      Effect.flatMap(requireStorable(fields), () => {
        const issues = mistaken(fields)
        return issues.length === 0 ? Effect.void : Effect.fail(validationFailed(issues))
      })
  }
}

/** Replaces unstorable characters in a message: a program's output must not make its report fail. */
const withStorableMessage = (fields: Fields): Fields => {
  const message = fields[plainTextField]
  return typeof message === "string" ? { ...fields, [plainTextField]: storable(message) } : fields
}

const noSuchId = new NotFound({ message: "No resource has this id: it contains NUL or an unpaired surrogate" })

const requireStorableIds = (params: Readonly<Record<string, string | undefined>>): Effect.Effect<void, NotFound> =>
  Object.values(params).every((text) => text === undefined || isStorable(text)) ? Effect.void : Effect.fail(noSuchId)

/**
 * The request with `json` as its body. The body is read only when the handler asks for it, after the caller is admitted.
 * HttpApi treats a failure of it as a defect, which the envelope recognizes.
 */
const withJson = (request: Request, json: Effect.Effect<Fields, BadRequest | PayloadTooLarge | ValidationFailed>): Request =>
  withBody(request, { json: Effect.orDie(json), headers: Headers.set(request.headers, "content-type", "application/json") })

const asQueryText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const issuesOf = (schema: Option.Option<PartSchema>, input: unknown): ReadonlyArray<FieldIssue> =>
  Option.match(schema, {
    onNone: () => [],
    onSome: (part) => {
      const decoded: Either.Either<unknown, ParseResult.ParseError> = Schema.decodeUnknownEither(part, { errors: "all" })(input)
      return Either.isLeft(decoded) ? fieldIssues(decoded.left, "texts") : []
    }
  })

/** The request normalization of an operation. */
export const requestFields = (operation: Operation) => {
  const pathNames = typesOf(operation.pathParams)
  const queryTypes = typesOf(operation.query)
  const payloadTypes = typesOf(operation.payload)
  const check = Option.map(operation.payload, strictly)
  const isKnown = (name: string) => queryTypes.has(name) || payloadTypes.has(name) || pathNames.has(name)
  const mistakenInPath = mistakenIds(operation.pathParams)
  const mistakenInQuery = mistakenIds(operation.query)

  const payloadOf = Effect.fnUntraced(function*(request: Request, query: Query) {
    const body = yield* Effect.flatMap(readBody(request, operation.largestBody), (read) => fieldsOf(read, payloadTypes))
    const fromQuery = typed(only(query, (name) => payloadTypes.has(name) && !queryTypes.has(name)), payloadTypes)
    const merged = (given: Fields) =>
      withStorableMessage(only(
        { ...fromQuery, ...given },
        (name) => payloadTypes.has(name) || !(pathNames.has(name) || queryTypes.has(name))
      ))
    if (Option.isNone(check)) return merged(body)
    // What is too large is cut before anything else passes over it.
    const cut = check.value.clipped(body)
    const shaped = merged(cut)
    yield* check.value.shape(shaped)
    const fields = cut === body ? shaped : merged(body)
    yield* check.value.texts(fields)
    return fields
  })

  /** An operation without a payload also accepts its query fields in the body. */
  const queryOf = (request: Request, query: Query): Effect.Effect<Query, BadRequest | PayloadTooLarge | ValidationFailed> =>
    queryTypes.size === 0 || payloadTypes.size > 0 || !HttpMethod.hasBody(request.method)
      ? Effect.succeed(query)
      : Effect.map(Effect.flatMap(readBody(request), (read) => fieldsOf(read, queryTypes)), (body) => ({
        ...query,
        ...Object.fromEntries(Object.entries(body).map(([name, value]) => [name, asQueryText(value)]))
      }))

  return {
    /** The request and its query, normalized for HttpApi to decode. */
    normalised: Effect.fnUntraced(function*(request: Request, params: HttpRouter.RouteContext["params"], query: Query) {
      yield* requireStorableIds(params)
      yield* requireStorable(only(query, (name) => queryTypes.has(name)))
      return {
        request: Option.isSome(check) ? withJson(request, payloadOf(request, query)) : request,
        query: yield* queryOf(request, query)
      }
    }),
    /** Refuses ids of other resources in the path, and in the query these and fields that do not exist. */
    vet: (params: Fields, query: Query): Effect.Effect<void, NotFound | ValidationFailed> => {
      const [wrongPath] = mistakenInPath(params)
      if (wrongPath !== undefined) return Effect.fail(new NotFound({ message: wrongPath.message }))
      const unknown = Object.keys(query).filter((name) => !isKnown(name)).slice(0, maxIssues).map((path) => ({
        path,
        message: unknownField(path, [...queryTypes.keys(), ...payloadTypes.keys()])
      }))
      const issues = [...unknown, ...mistakenInQuery(query)]
      return issues.length === 0 ? Effect.void : Effect.fail(validationFailed(issues))
    },
    /** All issues of path and query; HttpApi itself stops at the first. Empty if the error is not the caller's. */
    issues: (params: unknown, query: Query): ReadonlyArray<FieldIssue> => [
      ...issuesOf(operation.pathParams, params),
      ...issuesOf(operation.query, query)
    ]
  }
}

export const isDecodeError = (error: unknown): error is HttpApiError.HttpApiDecodeError =>
  error instanceof HttpApiError.HttpApiDecodeError
