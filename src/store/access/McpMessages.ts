/** Carries what a client sends about a call that runs, such as its end, to the process in which the call runs. */
import { Deferred, Effect, Option, Stream } from "effect"
import { restartForever } from "../../loops/RestartForever.ts"
import { Signals } from "../postgres/Signals.ts"
import { Wakeups } from "../postgres/Wakeups.ts"
import { tokenHash } from "../Vault.ts"

/** The PostgreSQL notification channel. */
const channel = "belltower_mcp_messages"

/** A notification holds 8,000 bytes, and the key of the message needs some of them. */
const longestMessage = 7_500

/** The subject of a message: a call that ends, or a question that is answered. */
type MessageKind = "answer" | "end"

/** Where a call waits for a message. Hashed, because the id of a session is a secret. */
const keyOf = (session: string, kind: MessageKind, id: string | number): string =>
  tokenHash(`${session} ${kind} ${JSON.stringify(id)}`).toString("base64url")

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

export class McpMessages extends Effect.Service<McpMessages>()("belltower/McpMessages", {
  scoped: Effect.gen(function*() {
    const signals = yield* Signals
    const wakeups = yield* Wakeups
    const waiting = new Map<string, Deferred.Deferred<unknown>>()

    const pass = (key: string, text: string): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        const found = waiting.get(key)
        return found === undefined ? Effect.succeed(false) : Deferred.succeed(found, Option.getOrNull(parse(text)))
      })

    const heard = Stream.runForEach(wakeups.listen(channel), (payload) => {
      const space = payload.indexOf(" ")
      return pass(payload.slice(0, space), payload.slice(space + 1))
    })
    yield* Effect.forkScoped(restartForever(`Listening to ${channel}`, heard))

    return {
      /** Registers a key until the scope closes. One key has one message. */
      expect: (session: string, kind: MessageKind, id: string | number) => {
        const key = keyOf(session, kind, id)
        return Effect.acquireRelease(
          Effect.tap(Deferred.make<unknown>(), (message) => Effect.sync(() => void waiting.set(key, message))),
          (message) =>
            Effect.sync(() => {
              if (waiting.get(key) === message) waiting.delete(key)
            })
        )
      },
      /** Sends a message, for which nobody may wait. False if it is too long to be carried to another process. */
      send: (session: string, kind: MessageKind, id: string | number, message: unknown): Effect.Effect<boolean> => {
        const [key, json] = [keyOf(session, kind, id), JSON.stringify(message)]
        return Effect.flatMap(pass(key, json), (isHere) => {
          if (isHere) return Effect.succeed(true)
          return Buffer.byteLength(json) > longestMessage
            ? Effect.succeed(false)
            : Effect.as(signals.send(channel, `${key} ${json}`), true)
        })
      }
    }
  })
}) {}
