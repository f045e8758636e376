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
}

/** Its `flush` writes the waiting results at shutdown, when writes that are under way would end with their loop. */
export const makeResultWriter = <A>({ of, workspaceOf, write }: ResultsOf<A>) =>
  makeTogetherQueue<A>({
    name: `Writing results of ${of}`,
    ownerOf: workspaceOf,
    work: (results, isApart) => Effect.as(write(results, lockPatience(isApart)), []),
    linger: "20 millis",
    apartAtOnce: 4,
    rest: { first: 1_000, longest: 1_000 },
    // For as long as the leases certainly last. Then they expire, and the deliveries are attempted again.
    mostTries: 15,
    gaveUp: (results, reason) =>
      Effect.logWarning(
        `Results of ${results.length} ${of} not written; they are repeated after their lease: ${reasonOf(reason)}`
      )
  })
