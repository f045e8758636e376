/** The subscription of a workspace that is in effect, and the plan that results. */
import { DateTime } from "effect"
import type { Subscription, SubscriptionStatus } from "../../../schema/billing/Billing.ts"
import type { Plan } from "../../../schema/workspace/Workspace.ts"

export interface KnownSubscription extends Subscription {
  readonly id: string
  readonly createdAt: DateTime.Utc
}

const standing = {
  active: "live",
  trialing: "live",
  // The provider retries the payment for some days, so an expired card does not end the plan yet.
  past_due: "live",
  unpaid: "waiting",
  paused: "waiting",
  incomplete: "waiting",
  incomplete_expired: "over",
  canceled: "over"
} as const satisfies Record<SubscriptionStatus, "live" | "waiting" | "over">

const isLive = ({ status }: Subscription) => standing[status] === "live"

/** True if a subscription has ended for good and cannot be charged again. */
export const isOver = ({ status }: Subscription): boolean => standing[status] === "over"

/**
 * The action when subscription `news` of a workspace changes while `held` is in effect: the one to `take`, or null to keep the current
 * one, and the id of one to `end`, which would still be charged. Of two that were bought at the same time, the later one takes effect.
 */
export const chooseSubscription = (held: KnownSubscription | null, news: KnownSubscription) => {
  if (held === null || held.id === news.id || isOver(held)) return { take: news, end: null }
  if (!isLive(news)) return { take: null, end: null }
  return isLive(held) && DateTime.greaterThan(held.createdAt, news.createdAt)
    ? { take: null, end: news.id }
    : { take: news, end: held.id }
}

/** The plan that a subscription gives. If its price belongs to no plan, a paying workspace keeps its current plan. */
export const planUnder = (subscription: Subscription, current: Plan): Plan =>
  isLive(subscription) ? subscription.plan ?? current : "free"
