/** Runs a call with an idempotency key once and answers repeats from storage. (Specification: Limits, idempotency.) */
import { Effect, Fiber, Option, type Scope, Stream } from "effect"
import { createHash } from "node:crypto"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { StoredAnswer } from "../../../schema/access/StoredAnswer.ts"
import { Conflict, ValidationFailed } from "../../../schema/Errors.ts"
import { IdempotentRequests, type RepeatableRequest, type Standing } from "../../store/access/IdempotentRequests.ts"

/** How long a repeat waits for the first call to finish. */
const firstRunTimeout = "60 seconds"

const reused = "Already used for a different request to this endpoint within 24 hours; use a new key"

const keyReused = new ValidationFailed({
  message: `Idempotency-Key: ${reused}`,
  details: [{ path: "Idempotency-Key", message: reused }]
})

const stillRunning = new Conflict({
  message: "The first request with this Idempotency-Key is still running",
  hint: "Retry in a few seconds with the same key"
})

/** The parts that identify a call. */
interface IdempotentCall {
  readonly caller: Caller
  /** The operation's id. */
  readonly operation: string
  readonly key: string
  /** The path parameters; together with the operation and the key they identify the call. */
  readonly params: unknown
  /** The rest of the request; the same key with a different input is rejected. */
  readonly input: ReadonlyArray<unknown>
}

type IdempotentOutcome<A> =
  | { readonly _tag: "Ran"; readonly result: A }
  | { readonly _tag: "Replayed"; readonly answer: StoredAnswer }

const hash = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest()

/** Serializes with sorted object keys, so field order does not matter. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner) ?? ""

const repeatableOf = ({ caller, input, key, operation, params }: IdempotentCall): RepeatableRequest => {
  const { operations, workspaceId } = caller
  // A stored answer may contain a secret for its first caller, so a key restricted to some operations
  // replays only the calls of keys with the same restriction.
  const asked = operations === null ? input : [...input, [...operations].sort()]
  return {
    workspaceId,
    operation,
    place: hash(canonical([operation, params, key])),
    fingerprint: hash(canonical(asked))
  }
}

type Settled = Exclude<Standing, { readonly _tag: "UnderWay" }>

const isSettled = (standing: Standing): standing is Settled => standing._tag !== "UnderWay"

/** If the answer cannot be stored, the claim expires with its lease; the caller still gets the answer. */
const quietly = (effect: Effect.Effect<void>) =>
  Effect.catchAllCause(effect, (cause) => Effect.logError("Storing the outcome of an idempotent request failed", cause))

export class IdempotentCalls extends Effect.Service<IdempotentCalls>()("belltower/IdempotentCalls", {
  effect: Effect.gen(function*() {
    const requests = yield* IdempotentRequests

    /** The state of the call once no other run of it is in progress. */
    const settled = Effect.fnUntraced(function*(repeatable: RepeatableRequest) {
      const first = yield* requests.standing(repeatable)
      if (isSettled(first)) return first
      const later = yield* requests.news(repeatable).pipe(
        Stream.mapEffect(() => requests.standing(repeatable)),
        Stream.filter(isSettled),
        Stream.runHead,
        Effect.timeoutFail({ duration: firstRunTimeout, onTimeout: () => stillRunning })
      )
      return yield* Effect.orDie(later)
    })

    /** Runs `work` under a claim, in `scope`: a client that disconnects and retries gets the answer of the first run. */
    const claimed = <A, E, R>(
      repeatable: RepeatableRequest,
      owner: string,
      work: Effect.Effect<A, E, R>,
      answerOf: (result: A) => Option.Option<StoredAnswer>,
      scope: Scope.Scope
    ) => {
      const settle = (result: A) =>
        Option.match(answerOf(result), {
          onNone: () => requests.release(repeatable, owner),
          onSome: (answer) => requests.finish(repeatable, owner, answer)
        })
      const run = Effect.uninterruptibleMask((restore) =>
        restore(Effect.raceFirst(work, requests.renew(repeatable, owner))).pipe(
          Effect.onError(() => quietly(requests.release(repeatable, owner))),
          Effect.tap((result) => quietly(settle(result)))
        )
      )
      return Effect.flatMap(Effect.forkIn(run, scope), Fiber.join)
    }

    /**
     * Runs `work`, or returns the stored answer of an earlier run. `answerOf` selects the results to store. Fails with
     * `validation_failed` if the key was used with another input, and with `conflict` after waiting 60 s for the first run.
     */
    const once = <A, E, R>(
      call: IdempotentCall,
      work: Effect.Effect<A, E, R>,
      answerOf: (result: A) => Option.Option<StoredAnswer>,
      scope: Scope.Scope
    ): Effect.Effect<IdempotentOutcome<A>, E | Conflict | ValidationFailed, R> =>
      Effect.gen(function*() {
        const repeatable = repeatableOf(call)
        const standing = yield* settled(repeatable)
        if (standing._tag === "Answered") return { _tag: "Replayed", answer: standing.answer } as const
        if (standing._tag === "Different") return yield* keyReused
        return { _tag: "Ran", result: yield* claimed(repeatable, standing.owner, work, answerOf, scope) } as const
      })

    return { once }
  })
}) {}
