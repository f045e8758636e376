/** Replaces every reader of Kafka whenever it fails, for as long as its fiber runs: one recovery path for every failure. */
import { Cause, Effect, Schedule } from "effect"
import { makeOutage, reasonOf } from "../../loops/Outage.ts"
import type { BusUnavailable } from "../Bus.ts"
import type { KafkaClient } from "./KafkaClient.ts"

/** The broker answers a fetch as soon as this much waits, or after this time. */
export interface FetchPace {
  readonly minBytes: number
  readonly maxWaitTimeInMs: number
}

/** An idle fetch returns soon, so that its reader ends quickly. */
export const promptly: FetchPace = { minBytes: 1, maxWaitTimeInMs: 500 }

/** How soon a reader notices that a topic has more partitions, or that a broker came; kafkajs would take five minutes. */
export const metadataMaxAgeMs = 30_000

/** About four seconds: a coordinator that is new or loads its state is not an outage. */
const toleratedFailures = 3

const backoff = Schedule.exponential("250 millis").pipe(
  Schedule.union(Schedule.spaced("5 seconds")),
  Schedule.jittered,
  Schedule.resetAfter("1 minute")
)

/** Reads once the topics exist. `session` runs the effect that it is given once it reads. */
export const keepReading = (
  { ready }: KafkaClient,
  what: string,
  session: (worked: Effect.Effect<void>) => Effect.Effect<never, BusUnavailable>
): Effect.Effect<never> =>
  Effect.flatMap(ready, () => {
    const outage = makeOutage(what, toleratedFailures)
    return session(outage.worked).pipe(
      Effect.sandbox,
      Effect.tapError((cause) => outage.failed(reasonOf(Cause.squash(cause)))),
      Effect.retry(backoff),
      Effect.orDie
    )
  })
