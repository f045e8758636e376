/** One check of `belltower doctor`: it has its time, and whatever happens in it becomes a finding. */
import { Cause, Deferred, Effect, Option, type Scope } from "effect"
import { type Diagnosis, failed, type Seen, skipped } from "../domain/health/Diagnosis.ts"
import type { Role } from "../domain/program/RoleOptions.ts"
import { reasonOf } from "../loops/Outage.ts"
import type { Settings } from "../settings/Settings.ts"

/** The process whose surroundings are examined. */
export interface Patient {
  readonly role: Role
  readonly settings: Settings
  /** The address of the installation. */
  readonly baseUrl: string
}

/** How long a check may take, s. */
const limitSec = 5

export type Diagnoses = Effect.Effect<ReadonlyArray<Diagnosis>>

/** `advice` is what to do if the check fails, or gives no answer. */
export const examine = (
  check: string,
  advice: string,
  look: Effect.Effect<ReadonlyArray<Seen>, unknown, Scope.Scope>
): Diagnoses =>
  Effect.scoped(look).pipe(
    Effect.catchAllCause((cause) => Effect.succeed([failed(reasonOf(Cause.squash(cause)), advice)])),
    Effect.disconnect,
    Effect.timeoutTo({
      duration: `${limitSec} seconds`,
      onSuccess: (seen) => seen,
      onTimeout: () => [failed(`No answer within ${limitSec} s`, advice)]
    }),
    Effect.map((seen) => seen.map((one) => ({ ...one, check })))
  )

/** A first check, whose answer those after it need: without one, they are skipped. */
export const examineFirst = <A>(
  check: string,
  advice: string,
  look: Effect.Effect<{ readonly answer: A; readonly seen: ReadonlyArray<Seen> }, unknown, Scope.Scope>,
  others: ReadonlyArray<string>,
  then: (answer: A) => Diagnoses
): Diagnoses =>
  Effect.gen(function*() {
    const answered = yield* Deferred.make<A>()
    const first = yield* examine(
      check,
      advice,
      Effect.flatMap(look, ({ answer, seen }) => Effect.as(Deferred.succeed(answered, answer), seen))
    )
    const answer = yield* Deferred.poll(answered)
    const rest = Option.isSome(answer)
      ? yield* Effect.flatMap(answer.value, then)
      : others.map((other) => ({ ...skipped(`Needs an answer of the check ${check}`), check: other }))
    return [...first, ...rest]
  })

/** Runs checks side by side; the findings are in the order of the checks. */
export const together = (all: ReadonlyArray<Diagnoses>): Diagnoses =>
  Effect.map(Effect.all(all, { concurrency: "unbounded" }), (found) => found.flat())

export const runsChecks = ({ role }: Patient): boolean => role === "all" || role === "probe"
