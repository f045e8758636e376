/** Runs a call that carries an idempotency key once, and gives its repeats the stored answer. (Specification: Limits, idempotency.) */
import { Effect, Fiber, Option, type Scope, Stream } from "effect"
import { createHash } from "node:crypto"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { StoredAnswer } from "../../../schema/access/StoredAnswer.ts"
import { Conflict, ValidationFailed } from "../../../schema/Errors.ts"
import { IdempotentRequests, type RepeatableRequest, type Standing } from "../../store/access/IdempotentRequests.ts"

/** How long a repeat waits for the first call to end. */
const firstRunTimeout = "60 seconds"

const reused = "This key was used for another request to this endpoint within 24 hours; use a new one"

const otherRequest = new ValidationFailed({
  message: `Idempotency-Key: ${reused}`,
  details: [{ path: "Idempotency-Key", message: reused }]
})

const stillRunning = new Conflict({
  message: "The first request with this Idempotency-Key is still running",
  hint: "Try again in a moment with the same key"
})

/** A call by what tells it from others. */
interface IdempotentCall {
  readonly caller: Caller
  /** The operation's id. */
  readonly operation: string
  readonly key: string
  /** The parameters of the path: with the operation and the key, they name the call. */
  readonly params: unknown
  /** What else was asked: the same key with another input is refused. */
  readonly input: ReadonlyArray<unknown>
}

type IdempotentOutcome<A> =
  | { readonly _tag: "Ran"; readonly result: A }
  | { readonly _tag: "Replayed"; readonly answer: StoredAnswer }

const hash = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest()

/** The same text for the same fields, whatever their order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner) ?? ""

const repeatableOf = ({ caller, input, key, operation, params }: IdempotentCall): RepeatableRequest => {
  const { operations, workspaceId } = caller
  // An answer may hold a secret meant for its first caller: a key with a list repeats only the calls of keys with the same one.
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

/** An answer that cannot be stored now expires with its lease; the caller gets it all the same. */
const quietly = (effect: Effect.Effect<void>) =>
  Effect.catchAllCause(effect, (cause) => Effect.logError("An idempotent request could not be settled", cause))

export class IdempotentCalls extends Effect.Service<IdempotentCalls>()("belltower/IdempotentCalls", {
  effect: Effect.gen(function*() {
    const requests = yield* IdempotentRequests

    /** How the call stands once it runs nowhere else any more. */
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

    /** Runs `work` under a claim, in `scope`: a client that gives up and repeats the call finds the answer of the first run. */
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
     * Runs `work`, or finds the answer that an earlier run gave. `answerOf` tells which results are stored. Fails with
     * `validation_failed` for a key that another input has used, and with `conflict` after 60 s behind the first run.
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
        if (standing._tag === "Different") return yield* otherRequest
        return { _tag: "Ran", result: yield* claimed(repeatable, standing.owner, work, answerOf, scope) } as const
      })

    return { once }
  })
}) {}
