/** Admits calls without a key by their client's address, before their body is read. */
import { Clock, Effect } from "effect"
import type { AddressRate } from "../../../schema/api/parts/AddressLimit.ts"
import { RateLimited } from "../../../schema/Errors.ts"
import { makeByteBudget } from "../../domain/access/ByteBudget.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"

/** Bodies up to this size cost no more than the request itself, and are always read: pings and pushes are small. */
const smallBody = 2 * 1024

/** The charge for a body of unknown length before it is read, bytes. */
const unknownLength = 64 * 1024

/** Refused input of one address. A body that the operation accepts costs nothing. */
const budget = { capacity: 1024 * 1024, perSecond: 64 * 1024, addresses: 10_000 }

const overBudget = (waitMs: number) => {
  const retryAfterSec = Math.max(1, Math.ceil(waitMs / 1000))
  return new RateLimited({
    message: "Too much of what this address sent was refused",
    hint: `Try again in ${retryAfterSec} s, or send less than 2 KiB`,
    details: { retryAfterSec }
  })
}

interface PublicCall {
  readonly address: string
  /** The declared length of the body; null if it has one of unknown length. */
  readonly bytes: number | null
  readonly rate: AddressRate | null
}

export class PublicCalls extends Effect.Service<PublicCalls>()("belltower/PublicCalls", {
  effect: Effect.gen(function*() {
    const limits = yield* RateLimits
    const refused = makeByteBudget(budget)

    const free = () => {}

    /**
     * Takes the cost of a body of `bytes` (null: of unknown length) in advance, so that many calls at the same time share the budget.
     * The result settles it at a later time (ms): the bytes `read`, unless they were `accepted`. A number: the client waits so many ms.
     */
    const takeBody = (client: () => string, bytes: number | null, now: number) => {
      if (bytes !== null && bytes <= smallBody) return free
      const address = client()
      const wait = refused.wait(address, now)
      if (wait > 0) return wait
      const charged = bytes ?? unknownLength
      refused.charge(address, charged, now)
      return (read: number, accepted: boolean, later: number): void =>
        refused.charge(address, (accepted ? 0 : read) - charged, later)
    }

    return {
      takeBody,
      /** Fails with `rate_limited`. The result settles the cost of the call, as that of `takeBody` does. */
      admit: Effect.fnUntraced(function*({ address, bytes, rate }: PublicCall) {
        if (rate !== null) yield* limits.peek(rate, address)
        const settle = takeBody(() => address, bytes, yield* Clock.currentTimeMillis)
        if (typeof settle === "number") return yield* overBudget(settle)
        return (read: number, accepted: boolean) => Effect.map(Clock.currentTimeMillis, (later) => settle(read, accepted, later))
      })
    }
  })
}) {}
