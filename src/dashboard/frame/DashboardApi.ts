/** The operations as views call them: by name, for the person of the visit, through the application that serves REST. */
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Context, Effect, Option, Schema } from "effect"
import type { Api } from "../../../schema/api/Api.ts"
import { compiledDecoder } from "../../../schema/CompiledCodecs.ts"
import { allOperations, type Operation } from "../../http/openapi/Operations.ts"
import type { Application } from "../../http/server/Application.ts"
import { type Arguments, type Caller, callOperation } from "../../http/server/InProcessCall.ts"
import { Refused } from "./Refused.ts"
import { Visit } from "./Visit.ts"

type GroupsOf<A> = A extends HttpApi.HttpApi<infer _I, infer Groups, infer _E, infer _R> ? Groups : never
type Endpoints = HttpApiGroup.HttpApiGroup.Endpoints<GroupsOf<typeof Api>>

export type OperationId = Endpoints["name"]

export type AnswerOf<Id extends OperationId> = HttpApiEndpoint.HttpApiEndpoint.SuccessWithName<Endpoints, Id>

const Issues = Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))

const Envelope = Schema.parseJson(Schema.Struct({
  error: Schema.Struct({
    code: Schema.String,
    message: Schema.String,
    hint: Schema.optional(Schema.String),
    details: Schema.optional(Schema.Unknown)
  })
}))

const refusal = (operation: string, status: number, text: string) =>
  Effect.flatMap(Effect.orDie(Schema.decodeUnknown(Envelope)(text)), ({ error: { code, details, hint, message } }) =>
    Effect.fail(
      new Refused({
        operation,
        status,
        code,
        message,
        hint: hint ?? null,
        issues: Option.getOrElse(Schema.decodeUnknownOption(Issues)(details), () => []),
        retryAfterSec: Option.getOrNull(
          Option.map(
            Schema.decodeUnknownOption(Schema.Struct({ retryAfterSec: Schema.Number }))(details),
            ({ retryAfterSec }) => retryAfterSec
          )
        )
      })
    ))

export const operationById: ReadonlyMap<string, Operation> = new Map(
  allOperations.map((operation) => [operation.id, operation])
)

const decoders = new Map<string, ((answer: unknown) => unknown) | null>()

/** The decoder of an operation's answer, composed on first use; null for an operation without one. */
const decoderOf = ({ answer, id }: Operation): ((answer: unknown) => unknown) | null => {
  const before = decoders.get(id)
  if (before !== undefined) return before
  const made = Option.getOrNull(Option.map(answer, ({ ast }) => compiledDecoder(ast)))
  decoders.set(id, made)
  return made
}

const known = (id: string): Effect.Effect<Operation> =>
  Option.match(Option.fromNullable(operationById.get(id)), {
    onNone: () => Effect.dieMessage(`There is no operation ${id}`),
    onSome: Effect.succeed
  })

/** The decoded answer has the type of its operation, because both come from the registry. */
const isAnswerOf = <Id extends OperationId>(_id: Id, _answer: unknown): _answer is AnswerOf<Id> => true

/** The JSON that an operation answered, decoded; null for nothing. */
export const decodedAnswer = <Id extends OperationId>(id: Id, answer: unknown): AnswerOf<Id> | null => {
  const schema = operationById.get(id)?.answer ?? Option.none()
  if (answer === null || Option.isNone(schema)) return null
  const decoded = Option.getOrNull(Schema.decodeUnknownOption(schema.value)(answer))
  return decoded !== null && isAnswerOf(id, decoded) ? decoded : null
}

/** The JSON of an answer; null where there is none. */
const JsonText = Schema.parseJson(Schema.Unknown)

const makeApi = (app: Application) => {
  const ask = Effect.fnUntraced(function*(operation: Operation, given: Arguments, caller: Caller) {
    const { status, text } = yield* callOperation(app, operation, given, caller)
    if (status >= 400) return yield* refusal(operation.id, status, text)
    return text === "" ? null : yield* Effect.orDie(Schema.decodeUnknown(JsonText)(text))
  })

  /** Calls an operation and answers its JSON. Every call is authenticated: of a form for many rows, the last ones run much later. */
  const send = Effect.fn("DashboardApi.send")(function*(id: string, given: Arguments) {
    const operation = yield* known(id)
    const { caller: { identity: _, ...caller } } = yield* Visit
    return yield* ask(operation, given, caller)
  })

  /** Reads for a view. Views change nothing: forms do, by `send`. */
  const read = Effect.fn("DashboardApi.read")(function*<Id extends OperationId>(id: Id, given: Arguments = {}) {
    const operation = yield* known(id)
    if (operation.scope === "write") return yield* Effect.dieMessage(`A view calls ${id}, which changes something`)
    const { caller, calls } = yield* Visit
    calls.push({ operation: id, given })
    const answer = yield* ask(operation, given, caller)
    const decode = decoderOf(operation)
    const decoded = decode === null ? answer : yield* Effect.sync(() => decode(answer))
    return isAnswerOf(id, decoded) ? decoded : yield* Effect.dieMessage(`${id} answered something else`)
  })

  return { read, send }
}

export class DashboardApi extends Context.Tag("belltower/DashboardApi")<DashboardApi, ReturnType<typeof makeApi>>() {
  static readonly make = makeApi
}
