/** Runs a call with an idempotency key once and answers repeats from storage. (Specification: Limits, Idempotency.) */
import { Effect, Fiber, Option, type Scope, Stream } from "effect"
import { createHash } from "node:crypto"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { StoredAnswer } from "../../../schema/access/StoredAnswer.ts"
import { Conflict, type ValidationFailed } from "../../../schema/Errors.ts"
import { principalId } from "../../domain/access/PrincipalId.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { orLog } from "../../loops/OrLog.ts"
import { IdempotentRequests, type RepeatableRequest, type Standing } from "../../store/access/IdempotentRequests.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"

/** How long a repeat waits for the first call to finish. */
const firstRunTimeout = "60 seconds"

const keyReused = validationFailure([{
  path: "Idempotency-Key",
  message: "Already used for a different request to this endpoint within 24 hours; use a new key"
}])

const stillRunning = new Conflict({
  message: "The first request with this Idempotency-Key is still running",
  hint: "Retry in a few seconds with the same key"
})

interface IdempotentCall {
  readonly caller: Caller
  readonly operation: string
  readonly key: string
  /** The path parameters; together with the workspace, the operation and the key they identify the call. */
  readonly params: unknown
  /** Whether nobody but the caller may get the stored answer. Then the caller is one of these, too. */
  readonly isPrivate: boolean
  /** The rest of the request; the same key with a different input is rejected. */
  readonly input: ReadonlyArray<unknown>
}

interface IdempotentRun<A, E, R> {
  readonly work: Effect.Effect<A, E, R>
  /** Whether `work` changes only the database. Then its changes and its answer commit together. */
  readonly atomic: boolean
  /** Adds what does not belong into the transaction of `work`, such as the audit entry, which must survive a refusal. */
  readonly around: <E2, R2>(work: Effect.Effect<A, E2, R2>) => Effect.Effect<A, E2, R2>
  /** The stored form of a result; none for a result that a repeat must not get. */
  readonly answerOf: (result: A) => Option.Option<StoredAnswer>
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

const repeatableOf = (
  { caller: { principal, workspaceId }, input, isPrivate, key, operation, params }: IdempotentCall
): RepeatableRequest => ({
  workspaceId,
  operation,
  place: hash(canonical([isPrivate ? principalId(principal) : null, operation, params, key])),
  fingerprint: hash(canonical(input))
})

type Settled = Exclude<Standing, { readonly _tag: "UnderWay" }>

const isSettled = (standing: Standing): standing is Settled => standing._tag !== "UnderWay"

const storing = "Storing the outcome of an idempotent request"

export class IdempotentCalls extends Effect.Service<IdempotentCalls>()("belltower/IdempotentCalls", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
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

    /** Runs `work` and stores its answer in one transaction. A run that was taken over fails, and its changes are rolled back. */
    const committed = <A, E, R>(
      repeatable: RepeatableRequest,
      owner: string,
      { answerOf, work }: IdempotentRun<A, E, R>
    ): Effect.Effect<A, E | Conflict, R> => {
      const finished = (answer: StoredAnswer) =>
        Effect.flatMap(requests.finish(repeatable, owner, answer), (held) => held ? Effect.void : stillRunning)
      return transaction(
        Effect.tap(work, (result) => Option.match(answerOf(result), { onNone: () => Effect.void, onSome: finished }))
      )
    }

    /** Stores the answer after `work`. If that fails, the claim expires with its lease; the caller still gets the answer. */
    const storedAfter = <A, E, R>(
      repeatable: RepeatableRequest,
      owner: string,
      { answerOf, work }: IdempotentRun<A, E, R>
    ): Effect.Effect<A, E | Conflict, R> =>
      Effect.tap(work, (result) =>
        Option.match(answerOf(result), {
          onNone: () => Effect.void,
          onSome: (answer) => orLog(storing, requests.finish(repeatable, owner, answer))
        }))

    /** Runs under a claim, in `scope`: a client that disconnects and retries gets the answer of the first run. */
    const claimed = <A, E, R>(repeatable: RepeatableRequest, owner: string, run: IdempotentRun<A, E, R>, scope: Scope.Scope) => {
      const release = orLog(storing, requests.release(repeatable, owner))
      const work = run.around((run.atomic ? committed : storedAfter)(repeatable, owner, run))
      const held = Effect.uninterruptibleMask((restore) =>
        restore(Effect.raceFirst(work, requests.renew(repeatable, owner))).pipe(
          Effect.onError(() => release),
          Effect.tap((result) => Option.isNone(run.answerOf(result)) ? release : Effect.void)
        )
      )
      return Effect.flatMap(Effect.forkIn(held, scope), Fiber.join)
    }

    /** Fails with `validation_failed` for a key with another input, and with `conflict` after 60 s of waiting for the first  */
    const once: <A, E, R>(
      call: IdempotentCall,
      run: IdempotentRun<A, E, R>,
      scope: Scope.Scope
    ) => Effect.Effect<IdempotentOutcome<A>, E | Conflict | ValidationFailed, R> = Effect.fnUntraced(
      function*<A, E, R>(call: IdempotentCall, run: IdempotentRun<A, E, R>, scope: Scope.Scope) {
        const repeatable = repeatableOf(call)
        const standing = yield* settled(repeatable)
        if (standing._tag === "Answered") return { _tag: "Replayed", answer: standing.answer } as const
        if (standing._tag === "Different") return yield* keyReused
        return { _tag: "Ran", result: yield* claimed(repeatable, standing.owner, run, scope) } as const
      }
    )

    return { once }
  })
}) {}
