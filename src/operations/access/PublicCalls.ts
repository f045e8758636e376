/** Admits calls without a key by their client's address, before their body is read. */
import { Clock, Effect } from "effect"
import type { AddressRate } from "../../../schema/api/AddressLimit.ts"
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

    return {
      /** Fails with `rate_limited`. The result settles the cost of the call: the bytes `read`, unless it was `accepted`. */
      admit: Effect.fnUntraced(function*({ address, bytes, rate }: PublicCall) {
        if (rate !== null) yield* limits.peek(rate, address)
        if (bytes !== null && bytes <= smallBody) return () => Effect.void
        const now = yield* Clock.currentTimeMillis
        const wait = refused.wait(address, now)
        if (wait > 0) return yield* overBudget(wait)
        // Taken in advance, so that many calls at the same time share the budget.
        const charged = bytes ?? unknownLength
        refused.charge(address, charged, now)
        return (read: number, accepted: boolean) =>
          Effect.map(Clock.currentTimeMillis, (later) => refused.charge(address, (accepted ? 0 : read) - charged, later))
      })
    }
  })
}) {}
