/** Logs an outage once when it begins and once when it ends, however many retries fail in between. */
import { Clock, Effect } from "effect"
import { durationText, secondsBetween } from "../domain/tools/time/Duration.ts"

/** The message of a failure without its stack: an unreachable broker needs none. */
export const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  // kafkajs wraps the errors of several topics in one whose own message says nothing.
  const parts = "errors" in cause && Array.isArray(cause.errors) ? cause.errors.map(reasonOf) : []
  // A failed statement has the database's own message in its cause.
  const inner = cause.cause instanceof Error ? [reasonOf(cause.cause)] : []
  return [cause.message, ...new Set([...parts, ...inner])].filter((part, at) => at === 0 || !cause.message.includes(part)).join(
    "; "
  )
}

export interface Outage {
  /** `reason` is shown to people. */
  readonly failed: (reason: string) => Effect.Effect<void>
  readonly worked: Effect.Effect<void>
}

/** The first `tolerated` failures in a row are not logged. */
export const makeOutage = (what: string, tolerated = 0): Outage => {
  let failures = 0
  /** The first failure in a row, ms since 1970. */
  let since = 0
  return {
    failed: (reason) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (failures === 0) since = now
        failures++
        if (failures !== tolerated + 1) return Effect.void
        return Effect.logWarning(`${what} failed; retrying: ${reason}`)
      }),
    worked: Effect.suspend((): Effect.Effect<void> => {
      const logged = failures > tolerated
      failures = 0
      if (!logged) return Effect.void
      return Effect.flatMap(
        Clock.currentTimeMillis,
        (now) => Effect.logInfo(`${what} works again after ${durationText(secondsBetween(since, now))}`)
      )
    })
  }
}

/** An outage for each key, such as a region: while one works, another may not. */
export const makeOutages = <Key>(what: (key: Key) => string) => {
  const outages = new Map<Key, Outage>()
  return (key: Key): Outage => {
    const outage = outages.get(key) ?? makeOutage(what(key))
    outages.set(key, outage)
    return outage
  }
}
