/**
 * The lanes in which queues of channels wait for a claim, as stored, and the lane of slots that each uses: slow receivers have slots of their
 * own. First attempts are claimed before retries. A claim leaves slots free for what must not wait: for first attempts, and in the slow
 * lane also for attempts that become slow.
 */
import { Struct } from "effect"
import type { Lane } from "../tools/queues/Lanes.ts"

/** In the order of claims. `leaves` is the part of the slots that stays free. */
export const queueLanes = {
  first: { stored: 0, slots: "fast", leaves: 0 },
  retry: { stored: 1, slots: "fast", leaves: 0.25 },
  slow_first: { stored: 2, slots: "slow", leaves: 0.4 },
  slow_retry: { stored: 3, slots: "slow", leaves: 0.6 }
} as const satisfies Record<string, { readonly stored: number; readonly slots: Lane; readonly leaves: number }>
export type QueueLane = keyof typeof queueLanes
export const queueLaneNames = Struct.keys(queueLanes)
