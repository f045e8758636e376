/** Speaks the Chrome DevTools protocol with a browser over a pipe: JSON texts, each ended by a zero byte. */
import { Data, Effect, Either, Predicate, Schema } from "effect"
import { StringDecoder } from "node:string_decoder"
import { browserLimits } from "../../domain/check/answer/ScriptLimits.ts"
import type { Chromium } from "./Chromium.ts"

/** A command that the browser refused, or that its end cut off. */
export class DevToolsFailed extends Data.TaggedError("DevToolsFailed")<{ readonly message: string }> {}

const decodeMessage = Schema.decodeEither(
  Schema.parseJson(Schema.Struct({
    id: Schema.optional(Schema.Int),
    method: Schema.optional(Schema.String),
    params: Schema.optional(Schema.Unknown),
    result: Schema.optional(Schema.Unknown),
    error: Schema.optional(Schema.Struct({ message: Schema.String }))
  }))
)

type Answered = Effect.Effect<unknown, DevToolsFailed>

type Params = Readonly<Record<string, unknown>>

export const nothing = Schema.Unknown

/** Splits the pipe into messages. `onFlood` is called if there is more than a check may cause. */
const makeReceiver = (receive: (text: string) => void, onFlood: () => void): (chunk: Buffer) => void => {
  const utf8 = new StringDecoder("utf8")
  let parts: Array<string> = []
  let length = 0
  let total = 0
  return (chunk) => {
    total += chunk.length
    const [first = "", ...others] = utf8.write(chunk).split("\0")
    parts.push(first)
    length += first.length
    if (total > browserLimits.totalBytes || length > browserLimits.messageBytes) return onFlood()
    for (const next of others) {
      receive(parts.join(""))
      parts = [next]
      length = next.length
    }
  }
}

const makeExchange = () => {
  const waiting = new Map<number, (answer: Answered) => void>()
  const handlers = new Map<string, (params: Params) => void>()
  let isClosed = false
  const receive = (text: string): void =>
    Either.match(decodeMessage(text), {
      onLeft: () => {},
      onRight: ({ error, id, method, params, result }) => {
        if (id !== undefined) {
          const answer = waiting.get(id)
          waiting.delete(id)
          answer?.(error === undefined ? Effect.succeed(result) : new DevToolsFailed({ message: error.message }))
        } else if (method !== undefined && Predicate.isRecord(params)) handlers.get(method)?.(params)
      }
    })
  const close = (): void => {
    isClosed = true
    for (const answer of waiting.values()) answer(new DevToolsFailed({ message: "The browser has ended" }))
    waiting.clear()
  }
  return { waiting, handlers, receive, close, isClosed: () => isClosed }
}

/** `onFlood` is called if the browser sends more than a check may cause. Nothing is sent after the scope closes. */
export const makeDevTools = Effect.fn("DevTools.makeDevTools")(function*(
  { ended, fromBrowser, toBrowser }: Pick<Chromium, "toBrowser" | "fromBrowser" | "ended">,
  onFlood: () => void
) {
  const { close, handlers, isClosed, receive, waiting } = makeExchange()
  let lastId = 0
  const take = makeReceiver(receive, () => {
    fromBrowser.removeListener("data", take)
    close()
    onFlood()
  })
  fromBrowser.on("data", take)
  fromBrowser.on("error", close)
  fromBrowser.on("close", close)
  yield* Effect.addFinalizer(() => Effect.sync(close))
  yield* Effect.forkScoped(Effect.zipRight(ended, Effect.sync(close)))

  return {
    on: (method: string, handle: (params: Params) => void): void => {
      handlers.set(method, handle)
    },
    /** Sends a command to the browser, or to the page of a session, and decodes its result. */
    command: <A, I>(
      method: string,
      params: Params,
      result: Schema.Schema<A, I>,
      session?: string
    ): Effect.Effect<A, DevToolsFailed> =>
      Effect.async<unknown, DevToolsFailed>((resume) => {
        if (isClosed()) return resume(new DevToolsFailed({ message: "The browser has ended" }))
        const id = ++lastId
        waiting.set(id, resume)
        const target = session === undefined ? {} : { sessionId: session }
        toBrowser.write(`${JSON.stringify({ id, method, params, ...target })}\0`)
        return Effect.sync(() => waiting.delete(id))
      }).pipe(
        Effect.flatMap(Schema.decodeUnknown(result)),
        Effect.catchTag(
          "ParseError",
          () => new DevToolsFailed({ message: `The browser's answer to ${method} is not understood` })
        )
      )
  }
})
export type DevTools = Effect.Effect.Success<ReturnType<typeof makeDevTools>>
