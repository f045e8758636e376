/** Merges query, body and path of a request into the fields of its operation, and decodes them. */
import { HttpMethod, type HttpRouter } from "@effect/platform"
import { Effect, Either, Option, type ParseResult, Predicate, Schema } from "effect"
import { type BadRequest, NotFound, type PayloadTooLarge, type ValidationFailed } from "../../../schema/Errors.ts"
import {
  type FieldIssue,
  fieldIssues,
  maxIssues,
  unknownField,
  unstorableTexts,
  validationFailed
} from "../../domain/input/FieldIssues.ts"
import { type FieldTypes, fieldTypes, fromTexts } from "../../domain/input/FieldTexts.ts"
import { isStorable, storable } from "../../domain/tools/text/Storable.ts"
import type { Operation, PartSchema } from "../openapi/Operations.ts"
import { clippedFor } from "./ClippedInput.ts"
import { mistakenIds } from "./MistakenIds.ts"
import type { CallBody, Fields, OperationCall, Query, Request } from "./OperationCall.ts"
import { type Body, documentTextField, notJson, plainTextField, readBody } from "./RequestBody.ts"

type Texts = Readonly<Record<string, string | ReadonlyArray<string>>>

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

/** `longest`: characters of a plain text; null for all of it. */
const fieldsOf = (body: Body, types: FieldTypes, longest: number | null = null): Effect.Effect<Fields, BadRequest> => {
  switch (body._tag) {
    case "Fields":
      return Effect.succeed(body.fields)
    case "Texts":
      return Effect.succeed(typed(body.fields, types))
    case "Text":
      return types.has(plainTextField)
        ? Effect.succeed({ [plainTextField]: body.text.trim().slice(0, longest ?? undefined) })
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
    /** Decodes fields; at first clipped ones. */
    shape: (fields: Fields): Effect.Effect<unknown, ValidationFailed> =>
      Effect.mapError(decode(fields), (error) => validationFailed(fieldIssues(error))),
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

const asQueryText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

type Decode = (input: unknown) => Either.Either<unknown, ParseResult.ParseError>

const decoderOf = (part: Option.Option<PartSchema>): Decode =>
  Option.match(part, {
    onNone: () => () => Either.right(undefined),
    onSome: (schema) => Schema.decodeUnknownEither(schema, { errors: "all" })
  })

const issuesOf = (decoded: ReturnType<Decode>): ReadonlyArray<FieldIssue> =>
  Either.isLeft(decoded) ? fieldIssues(decoded.left, "texts") : []

const noBody: Effect.Effect<CallBody> = Effect.succeed({ fields: null, payload: undefined })

/** Path and query as a handler gets them; undefined for an operation without. */
interface Parts {
  readonly path: unknown
  readonly urlParams: unknown
}

const knownOf = ({ method, scope }: Operation, fields: ReadonlyArray<FieldTypes>) => {
  // Links and widgets add parameters of their own to what everybody may read.
  const ignoresOthers = scope === "public" && method === "GET"
  return (name: string): boolean => ignoresOthers || fields.some((types) => types.has(name))
}

export const requestFields = (operation: Operation) => {
  const pathNames = typesOf(operation.pathParams)
  const queryTypes = typesOf(operation.query)
  const payloadTypes = typesOf(operation.payload)
  const check = Option.map(operation.payload, strictly)
  const isKnown = knownOf(operation, [pathNames, queryTypes, payloadTypes])
  const mistakenInPath = mistakenIds(operation.pathParams)
  const mistakenInQuery = mistakenIds(operation.query)
  const decodePath = decoderOf(operation.pathParams)
  // Every field of a query is one text: lists in it are separated by commas.
  const decodeQuery = decoderOf(operation.query)

  const bodyOf = Effect.fnUntraced(function*(strict: ReturnType<typeof strictly>, request: Request, query: Query) {
    const read = yield* readBody(request, operation.largestBody, operation.textOfPrograms === null ? null : payloadTypes)
    const body = yield* fieldsOf(read, payloadTypes, operation.textOfPrograms)
    const fromQuery = typed(only(query, (name) => payloadTypes.has(name) && !queryTypes.has(name)), payloadTypes)
    const merged = (given: Fields) =>
      withStorableMessage(only(
        { ...fromQuery, ...given },
        (name) => payloadTypes.has(name) || !(pathNames.has(name) || queryTypes.has(name))
      ))
    // Oversized values are cut before anything else reads them.
    const cut = strict.clipped(body)
    const shaped = merged(cut)
    const decoded = yield* strict.shape(shaped)
    const fields = cut === body ? shaped : merged(body)
    yield* strict.texts(fields)
    return { fields, payload: cut === body ? decoded : yield* strict.shape(fields) } satisfies CallBody
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
    normalised: Effect.fnUntraced(function*(request: Request, params: HttpRouter.RouteContext["params"], given: Query) {
      yield* requireStorableIds(params)
      yield* requireStorable(only(given, (name) => queryTypes.has(name)))
      const query = yield* queryOf(request, given)
      const body = Option.match(check, { onNone: () => noBody, onSome: (strict) => bodyOf(strict, request, query) })
      return { request, params, query, body } satisfies OperationCall
    }),
    /** Refuses ids of other resources in the path, and in the query these and fields that do not exist. */
    vet: ({ params, query }: Pick<OperationCall, "params" | "query">): Effect.Effect<void, NotFound | ValidationFailed> => {
      const [wrongPath] = mistakenInPath(params)
      if (wrongPath !== undefined) return Effect.fail(new NotFound({ message: wrongPath.message }))
      const unknown = Object.keys(query).filter((name) => !isKnown(name)).slice(0, maxIssues).map((path) => ({
        path,
        message: unknownField(path, [...queryTypes.keys(), ...payloadTypes.keys()])
      }))
      const issues = [...unknown, ...mistakenInQuery(query)]
      return issues.length === 0 ? Effect.void : Effect.fail(validationFailed(issues))
    },
    /** The decoded path and query. Fails with all of their problems. */
    parts: ({ params, query }: Pick<OperationCall, "params" | "query">): Either.Either<Parts, ValidationFailed> => {
      const path = decodePath(params)
      const urlParams = decodeQuery(query)
      return Either.isRight(path) && Either.isRight(urlParams)
        ? Either.right({ path: path.right, urlParams: urlParams.right })
        : Either.left(validationFailed([...issuesOf(path), ...issuesOf(urlParams)]))
    }
  }
}

export type RequestFields = ReturnType<typeof requestFields>
