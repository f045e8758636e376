/** Periodic upkeep that runs on one runner of the cluster at a time. */
import { Singleton } from "@effect/cluster"
import { type Duration, Effect } from "effect"
import { repeatForever } from "../src/loops/RestartForever.ts"

/** `makeStep` runs on each runner that takes the singleton over. `name` identifies it in the cluster and in log lines. */
export const singletonEvery = <E, R>(
  name: string,
  every: Duration.DurationInput,
  makeStep: Effect.Effect<Effect.Effect<unknown, unknown>, E, R>
) => Singleton.make(name, Effect.flatMap(makeStep, (step) => repeatForever(name, every, step)))
