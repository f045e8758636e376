/** A worker's self-check: verifies that it can resolve and reach at least one of its canaries. */
import { Effect } from "effect"
import { isIP } from "node:net"
import type { Canary } from "../domain/check/Canary.ts"
import { dial } from "../egress/Dial.ts"
import type { EgressGuard } from "../egress/EgressGuard.ts"

const timeout = "2 seconds"

/** Whether the worker can connect to the canary. The operator configures canaries, so their addresses are not vetted. */
const reach = (guard: EgressGuard, { host, port }: Canary): Effect.Effect<boolean> =>
  Effect.async<boolean>((resume) => {
    let giveUp: (() => void) | null = null
    let over = false
    const answer = (reached: boolean): void => resume(Effect.succeed(reached))
    const connect = (addresses: Parameters<typeof dial>[0]): void => {
      giveUp = dial(addresses, port, guard.deadlines, {
        onConnect: (socket) => {
          socket.destroy()
          answer(true)
        },
        onFailure: () => answer(false)
      })
    }
    const family = isIP(host)
    if (family !== 0) connect([{ address: host, family }])
    else {
      guard.resolve(host, (_, addresses) => {
        if (over) return
        if (addresses.length > 0) connect(addresses)
        else answer(false)
      })
    }
    return Effect.sync(() => {
      over = true
      giveUp?.()
    })
  }).pipe(Effect.timeoutTo({ duration: timeout, onSuccess: (reached) => reached, onTimeout: () => false }))

/** Null if the check succeeds or there are no canaries; else why the worker's results cannot be trusted. */
export const selfCheck = Effect.fn("SelfCheck.run")(function*(guard: EgressGuard, canaries: ReadonlyArray<Canary>) {
  const reached = yield* Effect.forEach(canaries, (canary) => reach(guard, canary), { concurrency: "unbounded" })
  return canaries.length === 0 || reached.includes(true)
    ? null
    : `None of the canaries can be reached: ${canaries.map(({ host, port }) => `${host}:${port}`).join(", ")}`
})
