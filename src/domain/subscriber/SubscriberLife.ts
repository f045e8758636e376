/** The end of a subscription: it expires unconfirmed, ends with its incident, or is disabled by its receiver. */
import { DateTime, Duration } from "effect"
import type { SubscriberStatus, SubscriberType } from "../../../schema/subscriber/Subscriber.ts"

/** How long a mail that asks for confirmation is valid. */
export const confirmWithin = Duration.hours(24)

/** This many dead deliveries disable a subscription (Specification: Events, Retries). */
const mostDead = 10

/** Deliveries of the last event of an incident are retried for about 11 hours. Subscribers of an open one check it as often. */
const afterIncident = Duration.hours(12)

export interface SubscriberState {
  readonly type: SubscriberType
  readonly status: SubscriberStatus
  readonly createdAt: DateTime.Utc
  readonly deadDeliveries: number
  /** True if the receiver answered 410. */
  readonly isGone: boolean
  /** The only incident that it follows; null for all. */
  readonly incidentId: string | null
  /** When that incident ended, or its end was sent; null if it has not. */
  readonly incidentEndedAt: DateTime.Utc | null
}

interface NextStep {
  /** Null to delete it: nobody confirmed that the address wants it. */
  readonly status: SubscriberStatus | null
  /** When to look again; null for never. */
  readonly alarm: DateTime.Utc | null
}

const isDue = (at: DateTime.Utc, now: DateTime.Utc): boolean => DateTime.lessThanOrEqualTo(at, now)

const ofActive = (
  { deadDeliveries, incidentEndedAt, incidentId, isGone, type }: SubscriberState,
  now: DateTime.Utc
): NextStep => {
  if (isGone || (type !== "email" && deadDeliveries >= mostDead)) return { status: "disabled", alarm: null }
  if (incidentEndedAt === null) {
    return { status: "active", alarm: incidentId === null ? null : DateTime.addDuration(now, afterIncident) }
  }
  const end = DateTime.addDuration(incidentEndedAt, afterIncident)
  return isDue(end, now) ? { status: "unsubscribed", alarm: null } : { status: "active", alarm: end }
}

export const nextStep = (state: SubscriberState, now: DateTime.Utc): NextStep => {
  if (state.status === "active") return ofActive(state, now)
  if (state.status !== "pending") return { status: state.status, alarm: null }
  const expires = DateTime.addDuration(state.createdAt, confirmWithin)
  return isDue(expires, now) ? { status: null, alarm: null } : { status: "pending", alarm: expires }
}
