/**
 * The slots of a worker, in two lanes that are each shared fairly between workspaces. A look begins in the fast lane unless the
 * monitor's last one was slow; one that lasts moves to the slow lane, so that targets that hang hold no fast slot.
 */
import { makeFairQueue } from "../domain/FairQueue.ts"
import type { Lane } from "./Look.ts"
import type { ProbeLimits } from "./ProbeLimits.ts"
import type { Post } from "./Rota.ts"

export interface Lanes {
  /** Lets the look of a post wait for a slot. */
  readonly offer: (post: Post) => void
  /** The look asks for a slot of the slow lane; it keeps its own until it gets one. */
  readonly overstay: (post: Post) => void
  /** The next look that may begin; it holds a slot from now on. `onDrop` gets those whose monitor has gone meanwhile. */
  readonly next: (onDrop: (post: Post) => void) => Post | undefined
  /** Frees the slot of a look that has ended. */
  readonly end: (post: Post) => void
  /** Whether a look that is about to begin waited for its own workspace's other looks. */
  readonly heldBack: (post: Post) => boolean
  /** Whether the workspace holds all the slots that it may in the look's lane. */
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
  // The queues also hold entries of looks that have ended since; these count what waits to begin.
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
    // The slow lane first: what moves there frees slots of the fast one.
    next: (onDrop) => nextOf("slow", onDrop) ?? nextOf("fast", onDrop),
    end,
    heldBack: (post) => queues[post.look.lane].heldBack(ownerOf(post), post.look.step),
    isFull: (post) => queues[post.look.lane].heldBy(ownerOf(post)) >= share(slots[post.look.lane]),
    inFlight: (lane) => queues[lane].held(),
    waiting: (lane) => waiting[lane]
  }
}
