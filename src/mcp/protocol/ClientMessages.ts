/**
 * What a client sends about its calls that run: it ends one, or answers a question. Such a message is a POST of its own, which may
 * reach another process than the call.
 */
import { Deferred, Effect, Option, Predicate } from "effect"
import { randomUUID } from "node:crypto"
import { BadRequest } from "../../../schema/Errors.ts"
import type { McpSessions } from "../../operations/access/McpSessions.ts"
import { type Ask, declaresAll } from "./ClientCall.ts"
import type { McpTransport } from "./McpTransport.ts"
import { at, type JsonObject, objectAt } from "./StatelessRequest.ts"

/** A person who was asked does not answer for longer than this; the call then goes on without an answer. */
const longestAnswer = "5 minutes"

/** The session of a POST. */
export interface LiveSession {
  readonly id: string
  /** The capabilities that its client declared, in letters. */
  readonly declared: string
  readonly messages: McpSessions["messages"]
  readonly question: ReturnType<McpSessions["questionOf"]>
}

const tooLong = new BadRequest({
  message: "The answer is larger than 7,500 bytes",
  hint: "Answer with the fields of the form only"
})

const isId = (id: unknown): id is string | number => Predicate.isString(id) || Predicate.isNumber(id)

const isAnswer = (message: JsonObject): boolean => !("method" in message) && ("result" in message || "error" in message)

/** Passes messages about calls on to where the calls run. The SDK's server gets them, too, and ignores them. */
export const passOn = ({ id: session, messages }: LiveSession, sent: unknown): Effect.Effect<void, BadRequest> =>
  Effect.forEach(
    Array.isArray(sent) ? sent : [sent],
    (message: unknown) => {
      if (!Predicate.isRecord(message)) return Effect.void
      const ended = message["method"] === "notifications/cancelled" ? at(message["params"], "requestId") : undefined
      if (isId(ended)) return messages.send(session, "end", ended, null)
      const { id } = message
      return isId(id) && isAnswer(message)
        ? Effect.filterOrFail(messages.send(session, "answer", id, message), (isCarried) => isCarried, () => tooLong)
        : Effect.void
    },
    { discard: true }
  )

/** Waits for the end of a call by its client, from when the effect runs. */
export const endOf = ({ id: session, messages }: LiveSession, id: string | number) =>
  Effect.map(messages.expect(session, "end", id), (ended) => Effect.asVoid(Deferred.await(ended)))

/** Asks the client on the stream of the request that the question is about. Beyond the places for questions, nobody is asked. */
export const askOnStream = (
  { id: session, messages }: LiveSession,
  transport: McpTransport,
  relatedRequestId: string | number,
  declared: JsonObject
): Ask =>
(requests) => {
  if (!declaresAll(declared, requests)) return Effect.succeedNone
  const answers = Effect.forEach(Object.entries(requests), ([name, { method, params }]) =>
    Effect.gen(function*() {
      const id = randomUUID()
      const answered = yield* messages.expect(session, "answer", id)
      yield* Effect.promise(() => transport.send({ jsonrpc: "2.0", id, method, params }, { relatedRequestId }))
      const answer = yield* Effect.timeoutOption(Deferred.await(answered), longestAnswer)
      return [name, objectAt(Option.getOrNull(answer), "result")] as const
    }).pipe(Effect.scoped))
  return Effect.map(answers, (entries) => Option.some(Object.fromEntries(entries)))
}
