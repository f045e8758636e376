/** The limits of a runner's delivery worker. */

export interface DeliveryLimits {
  /** Maximum attempts in flight (slots). Half of them is for receivers that answer quickly. */
  readonly concurrency: number
  /** The share of these slots that one workspace can hold, in percent. */
  readonly workspacePercent: number
  /** Maximum deliveries begun per second at one host by all runners together; 0 for no limit. */
  readonly hostRate: number
}

/** Deliveries to subscribers have slots of their own. A chat service is one host for thousands of them, so its rate is higher. */
export const subscriberLimits = ({ concurrency, hostRate, workspacePercent }: DeliveryLimits): DeliveryLimits => ({
  concurrency: Math.max(2, Math.floor(concurrency / 2)),
  hostRate: hostRate * 10,
  workspacePercent
})

/** An attempt costs a socket and about 50 kB. */
export const defaultDeliveryLimits: DeliveryLimits = { concurrency: 1000, workspacePercent: 50, hostRate: 50 }
