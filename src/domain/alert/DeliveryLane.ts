/** The lanes in which deliveries wait: first attempts go before retries, and slow receivers use slots of their own. */

/** As stored, by index. */
export const deliveryLanes = ["first", "retry", "slow_first", "slow_retry"] as const
export type DeliveryLane = typeof deliveryLanes[number]

export const laneNumber: Readonly<Record<DeliveryLane, number>> = { first: 0, retry: 1, slow_first: 2, slow_retry: 3 }
