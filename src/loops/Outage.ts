/** Says once that something has stopped working and once that it works again, however often it is tried in between. */
import { Effect } from "effect"

export interface Outage {
  /** `reason` is for people. */
  readonly failed: (reason: string) => Effect.Effect<void>
  readonly worked: Effect.Effect<void>
}

/** What a failure has to say, without its stack: a broker that is away is no riddle. */
export const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  // kafkajs gathers the errors of several topics under one that says nothing.
  const parts = "errors" in cause && Array.isArray(cause.errors) ? cause.errors.map(reasonOf) : []
  // That a statement failed is said by its message, and why by the database's own.
  const inner = cause.cause instanceof Error ? [reasonOf(cause.cause)] : []
  return [cause.message, ...new Set([...parts, ...inner])].filter((part, at) => at === 0 || !cause.message.includes(part)).join(
    "; "
  )
}

/** `tolerated` failures in a row are nobody's business yet. */
export const makeOutage = (what: string, tolerated = 0): Outage => {
  let failures = 0
  return {
    failed: (reason) =>
      Effect.suspend(() => {
        failures++
        if (failures !== tolerated + 1) return Effect.void
        return Effect.logWarning(`${what} does not work and is being tried again: ${reason}`)
      }),
    worked: Effect.suspend(() => {
      const told = failures > tolerated
      failures = 0
      return told ? Effect.logInfo(`${what} works again`) : Effect.void
    })
  }
}
