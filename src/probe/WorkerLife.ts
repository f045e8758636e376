/** The signs of life of a probe worker, from which its process is ready. */
import { Effect } from "effect"

/** Beats are sent every 10 s, and each checks the probe itself for up to 7 s first; after this, the worker is not ready, ms. */
const beatsWithin = 30_000

/** A time that does not move when the machine's is set, ms. */
const steady = Effect.clockWith((clock) => Effect.sync(() => Number(clock.unsafeCurrentTimeNanos()) / 1e6))

export const makeWorkerLife = () => {
  let hasJoined = false
  let beatAt: number | null = null
  return {
    /** The worker has a share of its region's monitors, which may be empty. */
    joined: (): void => {
      hasJoined = true
    },
    beat: Effect.map(steady, (now) => {
      beatAt = now
    }),
    /** The reason why the worker is not ready; null if it is. */
    fault: Effect.map(steady, (now): string | null => {
      if (!hasJoined) return "It has not joined the probes of its region yet"
      if (beatAt === null) return "The bus has not taken a beat yet"
      const age = now - beatAt
      return age > beatsWithin ? `The bus took its last beat ${Math.round(age / 1000)} s ago` : null
    })
  }
}
export type WorkerLife = ReturnType<typeof makeWorkerLife>
