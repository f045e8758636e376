/** Which subscription of a workspace counts, and the plan that follows from it. */
import { DateTime } from "effect"
import type { Subscription, SubscriptionStatus } from "../../../schema/billing/Billing.ts"
import type { Plan } from "../../../schema/workspace/Workspace.ts"

/** A subscription with what tells it from another. */
export interface KnownSubscription extends Subscription {
  readonly id: string
  readonly createdAt: DateTime.Utc
}

export interface SubscriptionChoice {
  /** The one to go by from now on; null to go on with what is held. */
  readonly take: KnownSubscription | null
  /** The id of one that nobody needs and that would still be charged. */
  readonly end: string | null
}

const standing = {
  active: "live",
  trialing: "live",
  // The provider tries the payment again for some days: a card that expired is no reason to close anything yet.
  past_due: "live",
  unpaid: "waiting",
  paused: "waiting",
  incomplete: "waiting",
  incomplete_expired: "over",
  canceled: "over"
} as const satisfies Record<SubscriptionStatus, "live" | "waiting" | "over">

const isLive = ({ status }: Subscription) => standing[status] === "live"

/** Whether a subscription is charged no more, whatever happens. */
export const isOver = ({ status }: Subscription): boolean => standing[status] === "over"

/**
 * What news of one subscription means for a workspace that goes by `held`. Two that are paid for at once come of two
 * checkouts left open: the one that was bought later counts, the other ends.
 */
export const chooseSubscription = (held: KnownSubscription | null, news: KnownSubscription): SubscriptionChoice => {
  if (held === null || held.id === news.id || isOver(held)) return { take: news, end: null }
  if (!isLive(news)) return { take: null, end: null }
  return isLive(held) && DateTime.greaterThan(held.createdAt, news.createdAt)
    ? { take: null, end: news.id }
    : { take: news, end: held.id }
}

/** The plan under a subscription. A price that is none of the plans' leaves a paying workspace where it is. */
export const planUnder = (subscription: Subscription, current: Plan): Plan =>
  isLive(subscription) ? subscription.plan ?? current : "free"
