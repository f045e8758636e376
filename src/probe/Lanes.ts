/**
 * The slots of a worker, in a fast and a slow lane; workspaces share each lane fairly. A check starts in the fast lane unless the
 * monitor's last check was slow. A check that becomes slow moves to the slow lane, so hanging targets do not hold fast slots.
 */
import { makeFairQueue } from "../domain/FairQueue.ts"
import type { Lane } from "./Look.ts"
import type { ProbeLimits } from "./ProbeLimits.ts"
import type { Post } from "./Rota.ts"

export interface Lanes {
  /** Queues a post's check for a slot. */
  readonly offer: (post: Post) => void
  /** Requests a slow-lane slot for a running check; the check keeps its fast slot until then. */
  readonly overstay: (post: Post) => void
  /** Takes the next check that can start and gives it a slot. `onDrop` receives waiting checks whose monitor was removed. */
  readonly next: (onDrop: (post: Post) => void) => Post | undefined
  /** Frees the slot of a finished check. */
  readonly end: (post: Post) => void
  /** Whether a check that is about to start waited because of its own workspace's share. */
  readonly heldBack: (post: Post) => boolean
  /** Whether the workspace has used up its share of the check's lane. */
  readonly isFull: (post: Post) => boolean
  readonly inFlight: (lane: Lane) => number
  readonly waiting: (lane: Lane) => number
}

const ownerOf = (post: Post): string => post.assignment.workspaceId

export const makeLanes = ({ concurrency, workspacePercent }: ProbeLimits): Lanes => {
  const fastSlots = Math.max(1, Math.ceil(concurrency / 4))
  const share = (slots: number): number => Math.max(1, Math.floor((slots * workspacePercent) / 100))
  const slots = { fast: fastSlots, slow: Math.max(1, concurrency - fastSlots) }
  const laneOf = (size: number) => makeFairQueue<Post>({ slots: size, mostPerOwner: share(size) })
  const queues = { fast: laneOf(slots.fast), slow: laneOf(slots.slow) }
  // The queues also hold entries of checks that have since ended; these counters exclude them.
  const waiting = { fast: 0, slow: 0 }

  const offer = (post: Post): void => {
    const { look } = post
    const lane = post.wasSlow ? "slow" : "fast"
    look.stage = "waiting"
    look.lane = lane
    look.step = queues[lane].step()
    waiting[lane]++
    queues[lane].offer(ownerOf(post), post)
  }

  const overstay = (post: Post): void => {
    post.look.moving = true
    queues.slow.offer(ownerOf(post), post, true)
  }

  const nextOf = (lane: Lane, onDrop: (post: Post) => void): Post | undefined => {
    const queue = queues[lane]
    for (let post = queue.take(); post !== undefined; post = queue.take()) {
      const { look } = post
      if (look.stage === "waiting" && look.lane === lane) {
        waiting[lane]--
        look.stage = "under_way"
        if (!post.gone) return post
        end(post)
        onDrop(post)
      } else if (lane === "slow" && look.moving) {
        look.moving = false
        look.lane = "slow"
        queues.fast.release(ownerOf(post))
      } else queue.release(ownerOf(post))
    }
    return undefined
  }

  const end = ({ assignment, look }: Post): void => {
    queues[look.lane].release(assignment.workspaceId)
    look.stage = "idle"
    look.moving = false
  }

  return {
    offer,
    overstay,
    // Slow lane first: a check that moves there frees a fast slot.
    next: (onDrop) => nextOf("slow", onDrop) ?? nextOf("fast", onDrop),
    end,
    heldBack: (post) => queues[post.look.lane].heldBack(ownerOf(post), post.look.step),
    isFull: (post) => queues[post.look.lane].heldBy(ownerOf(post)) >= share(slots[post.look.lane]),
    inFlight: (lane) => queues[lane].held(),
    waiting: (lane) => waiting[lane]
  }
}
