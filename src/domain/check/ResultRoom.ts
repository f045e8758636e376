/** The number of check results that a runner keeps in memory on their way from the bus to the database. */

const most = { results: 4_000, bytes: 64 * 1024 * 1024 }

export const resultRoom = {
  /** Fetched, and not yet taken in: above this, fetching waits. */
  fetched: most,
  /** Taken in, and not yet stored: above this, the results of all workspaces wait. One batch may exceed it. */
  open: most,
  /** Of these, those of all workspaces whose actors hang or fall behind: half, so that the others have the other half. */
  stuck: most.results / 2
}

export interface WaitingLimits {
  /** Results of one workspace that may wait without progress. */
  readonly results: number
  /** A workspace is not judged before its results have waited for this long, ms. */
  readonly patienceMs: number
}

/** Half of what all such workspaces have together, so that there is room for two. */
export const defaultWaitingLimits: WaitingLimits = { results: resultRoom.stuck / 2, patienceMs: 5_000 }
