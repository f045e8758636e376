/** Answers requests with the SDK's server. Each POST gets a new one, so no state is kept. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js"
import { ErrorCode, type Notification, type Request as ClientMessage, type Result } from "@modelcontextprotocol/sdk/types.js"
import { Cause, Effect, Exit, Runtime, type Scope } from "effect"
import { type Ask, type ClientCall, InputRequired, type Progress } from "./ClientCall.ts"
import type { McpTransport } from "./McpTransport.ts"
import type { Offer, Register, Services } from "./Offer.ts"
import { ProtocolError, toldOf } from "./ProtocolError.ts"
import type { JsonObject } from "./StatelessRequest.ts"

/** Characters of all answers to one POST: each message of a batch is answered, so a small batch of large reads has a large answer. */
const mostAnswered = 2 * 1024 * 1024

const exceeded = new ProtocolError({
  code: ErrorCode.InvalidRequest,
  message: "The answers to this batch would be larger than 2 MiB; send fewer messages in one request"
})

/** The characters of all texts in an answer; its structure adds little. */
const lengthOf = (value: unknown): number =>
  typeof value === "string"
    ? value.length
    : typeof value === "object" && value !== null
    ? Object.values(value).reduce((sum: number, inner: unknown) => sum + lengthOf(inner), 0)
    : 8

/** Passes answers on, until they are too large together. The first one always passes. */
const makeAnswerBudget = () => {
  let taken = 0
  return <A>(answer: A): Promise<A> => {
    const length = lengthOf(answer)
    if (taken > 0 && taken + length > mostAnswered) return Promise.reject(exceeded)
    taken += length
    return Promise.resolve(answer)
  }
}

/** The client behind a POST. */
export interface Client {
  readonly declared: JsonObject
  /** The parameters of the only message of the POST; empty for a batch. */
  readonly params: JsonObject
  /** Whether it gets a stream, and with it what is said before the result. */
  readonly streams: boolean
  /** How it is asked; `requestId` is the request that the question is about. */
  readonly askFor: (requestId: string | number) => Ask
}

type Extra = RequestHandlerExtra<ClientMessage, Notification>

const callOf = ({ askFor, declared, params, streams }: Client, { _meta, requestId, sendNotification }: Extra): ClientCall => {
  const notify = (method: string, given: JsonObject) =>
    streams ? Effect.promise(() => sendNotification({ method, params: given })) : Effect.void
  const progressToken = _meta?.progressToken
  return {
    params,
    declared,
    notify,
    report: progressToken === undefined || !streams
      ? null
      : (progress: Progress) => notify("notifications/progress", { progressToken, ...progress }),
    ask: askFor(requestId)
  }
}

/** A request for input, which must come before the result can be made, is a result, too. */
const asResult = ({ inputRequests, requestState }: InputRequired): Result => ({
  resultType: "input_required",
  inputRequests,
  ...(requestState === undefined ? {} : { requestState })
})

const serverOf = (
  offer: Offer,
  client: Client,
  runtime: Runtime.Runtime<Services>
): Server<ClientMessage, Notification, Result> => {
  const server = new Server<ClientMessage, Notification, Result>(offer.server, {
    capabilities: offer.capabilities,
    instructions: offer.instructions
  })
  const within = makeAnswerBudget()
  /** The SDK returns the rejection to the client, so reject with the failure itself. */
  const run = async (effect: Effect.Effect<Result, unknown, Services>, signal: AbortSignal): Promise<Result> => {
    const reported = effect.pipe(
      Effect.catchIf((failure) => failure instanceof InputRequired, (failure) => Effect.succeed(asResult(failure))),
      Effect.catchAllCause((cause) => Effect.flatMap(toldOf(cause), Effect.fail))
    )
    const exit = await Runtime.runPromiseExit(runtime, reported, { signal })
    return Exit.isSuccess(exit) ? within(exit.value) : Promise.reject(Cause.squash(exit.cause))
  }
  const on: Register = (schema, handler) =>
    server.setRequestHandler(schema, (request, extra) => run(handler(request, callOf(client, extra)), extra.signal))
  offer.handle(on)
  return server
}

/** A server that answers what comes over the transport until the scope closes, which ends its work. */
export const connect = (
  offer: Offer,
  client: Client,
  transport: McpTransport
): Effect.Effect<void, never, Scope.Scope | Services> =>
  Effect.gen(function*() {
    const runtime = yield* Effect.runtime<Services>()
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => serverOf(offer, client, runtime)),
      (acquired) => Effect.promise(() => acquired.close())
    )
    yield* Effect.promise(() => server.connect(transport))
  })
