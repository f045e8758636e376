/** The signs of life of a probe worker, from which its process is ready. */
import { Effect } from "effect"

/** Beats are sent every 10 s, and each checks the probe itself for up to 7 s first; after this, nobody counts on the worker, ms. */
const beatsWithin = 30_000

/** Not affected when the machine's time is set, ms. */
const steady = Effect.clockWith((clock) => Effect.sync(() => Number(clock.unsafeCurrentTimeNanos()) / 1e6))

export interface WorkerLife {
  /** The worker has a share of its region's monitors, which may be empty. */
  readonly joined: () => void
  /** The bus took a beat. */
  readonly beat: Effect.Effect<void>
  /** Why the worker is not ready; null if it is. */
  readonly fault: Effect.Effect<string | null>
}

export const makeWorkerLife = (): WorkerLife => {
  let hasJoined = false
  let beatAt: number | null = null
  return {
    joined: () => {
      hasJoined = true
    },
    beat: Effect.map(steady, (now) => {
      beatAt = now
    }),
    fault: Effect.map(steady, (now) => {
      if (!hasJoined) return "It has not joined the probes of its region yet"
      if (beatAt === null) return "The bus has not taken a beat yet"
      const age = now - beatAt
      return age > beatsWithin ? `The bus took its last beat ${Math.round(age / 1000)} s ago` : null
    })
  }
}
