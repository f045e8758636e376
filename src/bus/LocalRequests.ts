/** Checks on demand over the in-process bus: the worker of a region that registered first answers. */
import { Clock, Effect } from "effect"
import type { Assignment, CheckResult } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import { type Bus, NoProbe } from "./Bus.ts"

export const makeLocalRequests = () => {
  const checkers = new Map<RegionId, Array<(assignment: Assignment) => Effect.Effect<CheckResult>>>()

  const ask: Bus["Type"]["ask"] = Effect.fn("LocalBus.ask")(function*(request) {
    const check = checkers.get(request.region)?.[0]
    const now = yield* Clock.currentTimeMillis
    const noProbe = () => new NoProbe({ region: request.region })
    if (check === undefined) return yield* noProbe()
    return yield* check(request.assignment).pipe(
      Effect.timeoutFail({ duration: Math.max(0, request.expiresAt - now), onTimeout: noProbe })
    )
  })

  const answer: Bus["Type"]["answer"] = Effect.fn("LocalBus.answer")(function*(region, check) {
    yield* Effect.acquireRelease(
      Effect.sync(() => checkers.set(region, [...(checkers.get(region) ?? []), check])),
      () => Effect.sync(() => checkers.set(region, (checkers.get(region) ?? []).filter((other) => other !== check)))
    )
  })

  return { ask, answer }
}
