/**
 * The MCP sessions of a deployment. An id carries its signature and expiry, so only sessions ended early are stored. The signature is
 * that of the workspace: another one that learns the id can neither use nor end the session.
 */
import { Clock, Deferred, Effect, Option, Random, Schedule, Stream } from "effect"
import { randomBytes } from "node:crypto"
import type { Caller } from "../../../schema/access/Caller.ts"
import { NotFound } from "../../../schema/Errors.ts"
import { instant } from "../../../schema/Fields.ts"
import { makeSessionId, readSessionId } from "../../domain/access/SignedText.ts"
import { makeRunningChecks } from "../../domain/check/probe/RunningChecks.ts"
import { retryHint } from "../../domain/tools/RetryHint.ts"
import { EndedMcpSessions } from "../../store/access/EndedMcpSessions.ts"
import { McpMessages } from "../../store/access/McpMessages.ts"
import { LinkKeys } from "../../store/LinkKeys.ts"
import { StreamSlots } from "../event/StreamSlots.ts"
import { takePlace } from "../Places.ts"

const unknown = new NotFound({
  message: "This MCP session is unknown or has ended",
  hint: "Initialize a new session, or send requests without the mcp-session-id header"
})

/** How often a stream sends a keep-alive and checks whether another process ended its session. */
const keepAlive = "15 seconds"

/** The open streams of this process by session, each represented by the deferred that ends it with its last frames. */
const makeOpenStreams = Effect.gen(function*() {
  const streams = new Map<string, Set<Deferred.Deferred<ReadonlyArray<string>>>>()

  /** Their sessions go on at other processes. */
  const closeAll = Effect.suspend(() =>
    Effect.forEach(
      [...streams.values()].flatMap((ends) => [...ends]),
      (end) => Effect.flatMap(Random.next, (fraction) => Deferred.succeed(end, [retryHint(fraction)])),
      { discard: true }
    )
  )
  yield* Effect.addFinalizer(() => closeAll)

  return {
    /** Registers a stream until the scope closes; completing the returned deferred ends it. */
    add: (id: string) =>
      Effect.acquireRelease(
        Effect.tap(Deferred.make<ReadonlyArray<string>>(), (end) =>
          Effect.sync(() => {
            streams.set(id, (streams.get(id) ?? new Set()).add(end))
          })),
        (end) =>
          Effect.sync(() => {
            const ends = streams.get(id)
            ends?.delete(end)
            if (ends?.size === 0) streams.delete(id)
          })
      ),
    closeOf: (id: string) =>
      Effect.suspend(() => Effect.forEach([...streams.get(id) ?? []], (end) => Deferred.succeed(end, []), { discard: true })),
    closeAll
  }
})

/** Questions that wait for the persons behind clients, for one workspace and for all; each holds a response open. */
const questionsPerWorkspace = 10
const mostQuestions = 400

/** Whose a session is. `caller` is null where no key is asked for. */
const holderOf = (caller: Caller | null): string => caller === null ? "nobody" : caller.workspaceId

export class McpSessions extends Effect.Service<McpSessions>()("belltower/McpSessions", {
  scoped: Effect.gen(function*() {
    const signer = yield* LinkKeys
    const store = yield* EndedMcpSessions
    const streams = yield* makeOpenStreams
    const slots = yield* StreamSlots
    const questions = makeRunningChecks(questionsPerWorkspace, "questions to clients", mostQuestions)

    /** A live session; fails with `not_found` for unknown, ended and others' sessions. */
    const check = Effect.fn("McpSessions.check")(function*(id: string, caller: Caller | null) {
      const session = readSessionId(signer, holderOf(caller), id)
      const now = yield* Clock.currentTimeMillis
      if (session === null || session.endsAt <= now || (yield* store.hasEnded(id))) return yield* unknown
      return session
    })

    const pings = (id: string, caller: Caller | null) =>
      Stream.fromSchedule(Schedule.spaced(keepAlive)).pipe(
        Stream.mapEffect(() => Effect.orElseSucceed(Effect.as(check(id, caller), true), () => false)),
        Stream.takeWhile((alive) => alive),
        Stream.as(": ping\n\n")
      )

    return {
      /** `declared` is what the client declared, in lower-case letters. */
      begin: (caller: Caller | null, declared: string) =>
        Effect.map(
          Clock.currentTimeMillis,
          (nowMillis) => makeSessionId(signer, holderOf(caller), { declared, nonce: randomBytes(16), nowMillis })
        ),
      /** A place for a question to a client until the scope closes; fails when all are taken. */
      questionOf: (caller: Caller | null) => takePlace(questions, holderOf(caller)),
      /** The messages of clients about their calls that run. */
      messages: yield* McpMessages,
      check,
      /** A stream of keep-alives until the session ends. It counts like a live stream; fails with `rate_limited`. */
      stream: Effect.fn("McpSessions.stream")(function*(id: string, caller: Caller | null, address: string) {
        yield* check(id, caller)
        yield* slots.take(caller, address)
        const end = yield* streams.add(id)
        const lastFrames = Effect.flatMap(Deferred.poll(end), Option.getOrElse(() => Effect.succeed<ReadonlyArray<string>>([])))
        return Stream.concat(Stream.succeed(": connected\n\n"), pings(id, caller)).pipe(
          Stream.interruptWhen(Deferred.await(end)),
          Stream.concat(Stream.fromIterableEffect(lastFrames))
        )
      }),
      /** Ends a session: immediately in this process, in others with the next message or keep-alive. */
      end: Effect.fn("McpSessions.end")(function*(id: string, caller: Caller | null) {
        const { endsAt } = yield* check(id, caller)
        yield* store.end(id, instant(endsAt))
        yield* streams.closeOf(id)
      }),
      closeAll: streams.closeAll
    }
  }),
  dependencies: [McpMessages.Default]
}) {}
