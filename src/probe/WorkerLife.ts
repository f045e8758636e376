/** The signs of life of a probe worker, from which its process is ready. */

/** Beats are sent every 10 s; after two that the bus did not take, nobody counts on the worker, ms. */
const beatsWithin = 25_000

export interface WorkerLife {
  /** The worker has a share of its region's monitors, which may be empty. */
  readonly joined: () => void
  /** The bus took a beat. */
  readonly beat: (now: number) => void
  /** Why the worker is not ready; null if it is. */
  readonly fault: (now: number) => string | null
}

export const makeWorkerLife = (): WorkerLife => {
  let hasJoined = false
  let beatAt: number | null = null
  return {
    joined: () => {
      hasJoined = true
    },
    beat: (now) => {
      beatAt = now
    },
    fault: (now) => {
      if (!hasJoined) return "It has not joined the probes of its region yet"
      if (beatAt === null) return "The bus has not taken a beat yet"
      const age = now - beatAt
      return age > beatsWithin ? `The bus took its last beat ${Math.round(age / 1000)} s ago` : null
    }
  }
}
