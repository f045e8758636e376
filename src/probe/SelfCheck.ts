/** A worker's self-check: verifies that it can resolve and reach at least one of its canaries. */
import { Effect } from "effect"
import type { LookupAddress } from "node:dns"
import { isIP } from "node:net"
import type { Canary } from "../domain/check/probe/Canary.ts"
import { dial } from "../egress/Dial.ts"
import type { EgressGuard } from "../egress/EgressGuard.ts"

const timeout = "2 seconds"

/** Returns a function that cancels. */
type Lookup = (host: string, done: (addresses: ReadonlyArray<LookupAddress>) => void) => () => void

const reach = (guard: EgressGuard, { host, port }: Canary, lookup: Lookup): Effect.Effect<boolean> =>
  Effect.async<boolean>((resume) => {
    let stopDial = (): void => {}
    let over = false
    const answer = (reached: boolean): void => resume(Effect.succeed(reached))
    const cancelLookup = lookup(host, (addresses) => {
      if (over) return
      if (addresses.length === 0) return answer(false)
      stopDial = dial(addresses, port, guard.deadlines, {
        onConnect: (socket) => {
          socket.destroy()
          answer(true)
        },
        onFailure: () => answer(false)
      })
    })
    return Effect.sync(() => {
      over = true
      cancelLookup()
      stopDial()
    })
  }).pipe(Effect.timeoutTo({ duration: timeout, onSuccess: (reached) => reached, onTimeout: () => false }))

/** The operator configures canaries, so their addresses are not vetted. */
export const reachCanary = (guard: EgressGuard, canary: Canary): Effect.Effect<boolean> =>
  reach(guard, canary, (host, done) => {
    const family = isIP(host)
    if (family === 0) return guard.resolve(host, "", (_, addresses) => done(addresses))
    done([{ address: host, family }])
    return () => {}
  })

/** Tenants choose targets, so their addresses are vetted. */
export const reachTarget = (guard: EgressGuard, target: Canary): Effect.Effect<boolean> =>
  reach(guard, target, (host, done) => guard.addressesOf(host, (_, addresses) => done(addresses)))

/** Null if the check succeeds or there are no canaries; else why the worker's results cannot be trusted. */
export const selfCheck = Effect.fn("SelfCheck.run")(function*(guard: EgressGuard, canaries: ReadonlyArray<Canary>) {
  const reached = yield* Effect.forEach(canaries, (canary) => reachCanary(guard, canary), { concurrency: "unbounded" })
  return canaries.length === 0 || reached.includes(true)
    ? null
    : `None of the canaries can be reached: ${canaries.map(({ host, port }) => `${host}:${port}`).join(", ")}`
})
