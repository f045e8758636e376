/** Writes the results of attempts in bulk, those of many workspaces together. */
import { Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { reasonOf } from "../../loops/Outage.ts"
import { lockPatience, makeTogetherQueue } from "../../loops/TogetherThenApart.ts"

interface ResultsOf<A> {
  /** The name of the results in the log: "deliveries". */
  readonly of: string
  readonly workspaceOf: (result: A) => WorkspaceId
  /** Fails, or dies, if it waits for a lock for longer than `patienceMs`; then nothing is written. */
  readonly write: (results: ReadonlyArray<A>, patienceMs: number) => Effect.Effect<void, unknown>
  /** Runs for results that were written or given up. */
  readonly ended?: (results: ReadonlyArray<A>) => void
}

/** About two minutes: what was delivered is not repeated because the database was slow for a while. */
const mostTries = 120

/** Its `flush` writes the waiting results at shutdown, when writes that are under way would end with their loop. */
export const makeResultWriter = <A>({ ended = () => {}, of, workspaceOf, write }: ResultsOf<A>) =>
  makeTogetherQueue<A>({
    name: `Writing results of ${of}`,
    ownerOf: workspaceOf,
    work: (results, isApart) =>
      Effect.map(write(results, lockPatience(isApart)), () => {
        ended(results)
        return []
      }),
    linger: "20 millis",
    apartAtOnce: 4,
    rest: { first: 1_000, longest: 1_000 },
    mostTries,
    gaveUp: (results, reason) =>
      Effect.zipRight(
        Effect.sync(() => ended(results)),
        Effect.logWarning(
          `Writing results of ${of} failed (${results.length} in all); they are attempted again, so receivers may get a message ` +
            `twice: ${reasonOf(reason)}`
        )
      )
  })
