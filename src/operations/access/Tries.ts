/** Counts what strangers try at somebody's account or page by sender and target together: nobody can use up the tries of others. */
import { type Duration, Effect } from "effect"
import type { RateLimited } from "../../../schema/Errors.ts"
import { type RateLimit, RateLimits } from "../../store/access/RateLimits.ts"

export interface TryLimit {
  readonly name: string
  /** The limit of one sender at one target. */
  readonly each: { readonly limit: number; readonly window: Duration.DurationInput }
  /**
   * The limit of all senders at one target, against a sender with many addresses. `few` is what a sender still has when they are used up.
   */
  readonly all: { readonly limit: number; readonly window: Duration.DurationInput; readonly few: number }
  readonly message?: string
}

interface Try {
  readonly target: string
  readonly sender: string
  /** Whether the sender is known not to be a stranger, such as a browser that signed in before: the others' tries do not concern it. */
  readonly isKnown?: boolean
}

const rateOf = (
  { message, name }: TryLimit,
  part: string,
  { limit, window }: { readonly limit: number; readonly window: Duration.DurationInput }
): RateLimit => ({ name: `${name}${part}`, limit, window, ...(message === undefined ? {} : { message }) })

/** Makes the counter, which fails with `rate_limited`. */
export const makeTries = Effect.map(
  RateLimits,
  (limits) =>
    Effect.fn("Tries.take")(function*(rule: TryLimit, { isKnown = false, sender, target }: Try) {
      const both = `${target} ${sender}`
      yield* limits.take(rateOf(rule, "", rule.each), both)
      if (isKnown) return
      const { few: limit, window } = rule.all
      const few: Effect.Effect<void, RateLimited> = limits.take(rateOf(rule, "-few", { limit, window }), both)
      yield* Effect.catchTag(limits.take(rateOf(rule, "-all", rule.all), target), "rate_limited", () => few)
    })
)
