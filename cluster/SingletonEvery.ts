/** Periodic upkeep that runs on one runner of the cluster at a time. */
import { Singleton } from "@effect/cluster"
import { type Duration, Effect, Schedule } from "effect"
import { restartForever } from "../src/loops/RestartForever.ts"
import { retryForever } from "../src/loops/RetryForever.ts"

/**
 * Repeats a step with a pause of `every` after each run. A step that fails is retried with a backoff of at most 5 s. `makeStep`
 * runs whenever a runner takes the singleton over, so what it sets up starts empty there. `name` identifies the singleton in
 * the cluster and in log lines.
 */
export const singletonEvery = <E, R>(
  name: string,
  every: Duration.DurationInput,
  makeStep: Effect.Effect<Effect.Effect<unknown, unknown>, E, R>
) =>
  Singleton.make(
    name,
    Effect.flatMap(makeStep, (step) => restartForever(name, Effect.repeat(retryForever(name, step), Schedule.spaced(every))))
  )
