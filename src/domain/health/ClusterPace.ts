/** The pace at which runners notice each other. All processes of a deployment need the same. */
export interface ClusterPace {
  /** A runner that was killed or hangs loses its shards after this, s. It refreshes their locks three times within it. */
  readonly shardLockSec: number
  /** Between two reads of the list of runners, s. */
  readonly runnersSec: number
  /** Between two pings of all runners by one of them, s. */
  readonly pingSec: number
}

export const defaultClusterPace: ClusterPace = { shardLockSec: 10, runnersSec: 2, pingSec: 5 }
