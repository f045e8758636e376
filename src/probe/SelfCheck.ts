/** A worker's self-check: verifies that it can resolve and reach at least one of its canaries. */
import { Effect } from "effect"
import type { LookupAddress } from "node:dns"
import { isIP } from "node:net"
import type { Canary } from "../domain/check/probe/Canary.ts"
import { tryConnection } from "../egress/Connection.ts"
import { endingWithin } from "../egress/Deadlines.ts"
import { dial } from "../egress/Dial.ts"
import type { EgressGuard } from "../egress/EgressGuard.ts"

const timeoutMs = 2000

/** The operator configures canaries, so their addresses are not vetted. */
export const reachCanary = (guard: EgressGuard, { host, port }: Canary): Effect.Effect<boolean> =>
  Effect.async<boolean>((resume) => {
    const ending = endingWithin(guard.deadlines, timeoutMs, () => false, (reached) => resume(Effect.succeed(reached)))
    let stopDial = (): void => {}
    const connect = (addresses: ReadonlyArray<LookupAddress>): void => {
      if (ending.isOver()) return
      if (addresses.length === 0) return ending.end(false)
      stopDial = dial(addresses, port, guard, {
        onConnect: (socket) => {
          socket.destroy()
          ending.end(true)
        },
        onFailure: () => ending.end(false)
      })
    }
    const family = isIP(host)
    if (family !== 0) connect([{ address: host, family }])
    const cancelLookup = family === 0 ? guard.resolve(host, "", (_, addresses) => connect(addresses)) : () => false
    ending.stop = () => {
      cancelLookup()
      stopDial()
    }
    return Effect.sync(ending.cancel)
  })

/** Tenants choose targets, so their addresses are vetted. */
export const reachTarget = (guard: EgressGuard, { host, port }: Canary): Effect.Effect<boolean> =>
  Effect.async<boolean>((resume) =>
    Effect.sync(
      tryConnection(guard, { host, port, secure: false }, timeoutMs, ({ failure }) => resume(Effect.succeed(failure === null)))
    )
  )

/** Null if the check succeeds or there are no canaries; else why the worker's results cannot be trusted. */
export const selfCheck = Effect.fn("SelfCheck.run")(function*(guard: EgressGuard, canaries: ReadonlyArray<Canary>) {
  const reached = yield* Effect.forEach(canaries, (canary) => reachCanary(guard, canary), { concurrency: "unbounded" })
  return canaries.length === 0 || reached.includes(true)
    ? null
    : `None of the canaries can be reached: ${canaries.map(({ host, port }) => `${host}:${port}`).join(", ")}`
})
