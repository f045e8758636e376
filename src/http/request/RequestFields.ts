/** Merges query, body and path of a request into the one set of fields that its operation takes, before HttpApi decodes it. */
import { Headers, HttpApiError, HttpMethod, type HttpRouter, type HttpServerRequest } from "@effect/platform"
import { Effect, Either, Option, type ParseResult, Schema } from "effect"
import { type BadRequest, NotFound, type PayloadTooLarge, type ValidationFailed } from "../../../schema/Errors.ts"
import { isStorable, storable } from "../../domain/Storable.ts"
import type { Operation, PartSchema } from "../openapi/Operations.ts"
import { type FieldIssue, fieldIssues, unstorableTexts, validationFailed } from "./FieldIssues.ts"
import { type FieldTypes, fieldTypes, fromTexts } from "./FieldTexts.ts"
import { type Body, notJson, plainTextField, readBody } from "./RequestBody.ts"

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
        : Effect.fail(notJson("The body is neither JSON nor a form"))
  }
}

const storedWhole = (fields: Fields): Effect.Effect<void, ValidationFailed> => {
  const issues = unstorableTexts(fields)
  return issues.length === 0 ? Effect.void : Effect.fail(validationFailed(issues))
}

/** A body is decoded strictly: a misspelt field is refused by name rather than passed over. */
const strictly = (schema: PartSchema) => {
  const decode = Schema.decodeUnknown(schema, { errors: "all", onExcessProperty: "error" })
  return (fields: Fields): Effect.Effect<void, ValidationFailed> =>
    decode(fields).pipe(
      Effect.mapError((error) => validationFailed(fieldIssues(error))),
      // Only now is its depth known to be bounded.
      Effect.flatMap(() => storedWhole(fields))
    )
}

/** What a program prints is no reason to lose what it tells. */
const withStorableMessage = (fields: Fields): Fields => {
  const message = fields[plainTextField]
  return typeof message === "string" ? { ...fields, [plainTextField]: storable(message) } : fields
}

const noSuchId = new NotFound({ message: "There is nothing with such an id: it holds NUL or half of a surrogate pair" })

const askedFor = (params: Readonly<Record<string, string | undefined>>): Effect.Effect<void, NotFound> =>
  Object.values(params).every((text) => text === undefined || isStorable(text)) ? Effect.void : Effect.fail(noSuchId)

/**
 * The request with `json` as its body. It is only read once the handler asks, which is after the caller was let in; its
 * failure is then a defect to HttpApi, and the envelope knows it again.
 */
const withJson = (request: Request, json: Effect.Effect<Fields, BadRequest | PayloadTooLarge | ValidationFailed>): Request =>
  Object.create(request, {
    json: { value: Effect.orDie(json) },
    headers: { value: Headers.set(request.headers, "content-type", "application/json") }
  })

const asQueryText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const issuesOf = (schema: Option.Option<PartSchema>, input: unknown): ReadonlyArray<FieldIssue> =>
  Option.match(schema, {
    onNone: () => [],
    onSome: (part) => {
      const decoded: Either.Either<unknown, ParseResult.ParseError> = Schema.decodeUnknownEither(part, { errors: "all" })(input)
      return Either.isLeft(decoded) ? fieldIssues(decoded.left) : []
    }
  })

/** What an operation makes of its requests. */
export const requestFields = (operation: Operation) => {
  const pathNames = typesOf(operation.pathParams)
  const queryTypes = typesOf(operation.query)
  const payloadTypes = typesOf(operation.payload)
  const check = Option.map(operation.payload, strictly)

  const payloadOf = Effect.fn("RequestFields.payload")(function*(request: Request, query: Query) {
    const body = yield* Effect.flatMap(readBody(request), (read) => fieldsOf(read, payloadTypes))
    const fromQuery = only(query, (name) => payloadTypes.has(name) && !queryTypes.has(name))
    const fields = withStorableMessage(only(
      { ...typed(fromQuery, payloadTypes), ...body },
      (name) => payloadTypes.has(name) || !(pathNames.has(name) || queryTypes.has(name))
    ))
    if (Option.isSome(check)) yield* check.value(fields)
    return fields
  })

  /** An operation without a payload of its own takes its query's fields in the body too. */
  const queryOf = (request: Request, query: Query): Effect.Effect<Query, BadRequest | PayloadTooLarge> =>
    queryTypes.size === 0 || payloadTypes.size > 0 || !HttpMethod.hasBody(request.method)
      ? Effect.succeed(query)
      : Effect.map(Effect.flatMap(readBody(request), (read) => fieldsOf(read, queryTypes)), (body) => ({
        ...query,
        ...Object.fromEntries(Object.entries(body).map(([name, value]) => [name, asQueryText(value)]))
      }))

  return {
    /** The request and its query as HttpApi is to decode them. */
    normalised: Effect.fnUntraced(function*(request: Request, params: HttpRouter.RouteContext["params"], query: Query) {
      yield* askedFor(params)
      yield* storedWhole(only(query, (name) => queryTypes.has(name)))
      return {
        request: Option.isSome(check) ? withJson(request, payloadOf(request, query)) : request,
        query: yield* queryOf(request, query)
      }
    }),
    /** All that is wrong with path and query; HttpApi itself stops at the first. Empty when the fault is not the caller's. */
    issues: (params: unknown, query: Query): ReadonlyArray<FieldIssue> => [
      ...issuesOf(operation.pathParams, params),
      ...issuesOf(operation.query, query)
    ]
  }
}

export const isDecodeError = (error: unknown): error is HttpApiError.HttpApiDecodeError =>
  error instanceof HttpApiError.HttpApiDecodeError
