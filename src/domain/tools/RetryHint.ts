/** The last frame of a live stream whose process stops: when to connect again, so that not all clients come in one moment. */

/** After these, ms. The next process may need a moment, and load balancers notice within the drain. */
const soonest = 500
const latest = 5500

/** A server-sent event without data. `fraction` is that of the client among all, from 0 to below 1. */
export const retryHint = (fraction: number): string => `retry: ${Math.floor(soonest + fraction * (latest - soonest))}\n\n`
