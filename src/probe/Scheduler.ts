/**
 * Decides when each due look begins: spreads those at one host, shares the slots between workspaces, moves looks that last to
 * the slow lane, and ends those that never end by themselves. Plain state, driven by the worker's clock.
 */
import { makeHostLimit } from "../domain/check/HostLimit.ts"
import { makeLatenessWindow } from "../domain/check/LatenessWindow.ts"
import type { LatenessSummary } from "../domain/check/LatenessWindow.ts"
import { makeTimingWheel } from "../domain/check/TimingWheel.ts"
import { makeFifo } from "../domain/Fifo.ts"
import { makeLanes } from "./Lanes.ts"
import type { ProbeMetrics } from "./Metrics.ts"
import type { ProbeLimits } from "./ProbeLimits.ts"
import type { Duty, Post, RotaListener } from "./Rota.ts"

/** A look that lasts longer than this is slow. */
export const slowMs = 1000

/** How much longer than its timeout a look may take, judging its answer included, before the worker gives it up. */
export const leaseMarginMs = 30_000

/** What a tick counts at most: while the machine stands still or the loop is blocked, no look grows older. */
const longestTickMs = 1000

export interface SchedulerEvents {
  /** Begins the look of a post, which holds a slot until `end`. */
  readonly begin: (post: Post, now: number) => void
  /** The look's lease has expired. */
  readonly abandon: (post: Post) => void
}

export interface Scheduler extends RotaListener {
  /** A slot comes due while the monitor's last look has not ended: it is skipped, or the look that waits is made for it. */
  readonly skip: (duty: Duty) => void
  /** Lets time pass up to `now` (ms since 1970), takes the looks that are due, and begins what may begin. */
  readonly tick: (now: number, due: ReadonlyArray<Duty>) => void
  /** Counts the age of a look that is made again from now on. */
  readonly restart: (post: Post) => void
  /** The look has ended, and its slot is free. */
  readonly end: (post: Post) => void
  readonly stop: () => void
  /** Looks that wait for their host's limit. */
  readonly spread: () => number
  /** How late looks began since the last call. */
  readonly takeLateness: () => LatenessSummary
}

export const makeScheduler = (
  limits: ProbeLimits,
  metrics: ProbeMetrics,
  now: () => number,
  events: SchedulerEvents
): Scheduler => {
  const lanes = makeLanes(limits)
  const hosts = makeHostLimit<Post>(limits.hostRate, ({ assignment }) => assignment.workspaceId)
  const lateness = makeLatenessWindow()
  /** Monotonic time in which this process was running, ms. */
  let elapsed = 0
  let last = now()
  const leases = makeTimingWheel<Post>(elapsed, 250, 1024)
  // The looks that are not slow yet, oldest first, and when they began: a post may have ended its look and begun another.
  const young = { posts: makeFifo<Post>(), begun: makeFifo<number>() }
  let beginning = false
  let stopped = false

  const watch = (post: Post): void => {
    post.look.begun = elapsed
    young.posts.push(post)
    young.begun.push(elapsed)
  }

  const unwatch = ({ look }: Post): void => {
    look.endLease?.()
    look.endLease = null
  }

  const begin = (post: Post): void => {
    const { look, rhythm } = post
    const at = now()
    const lateMs = Math.max(at - look.ready, 0)
    if (lanes.heldBack(post)) metrics.heldBack.workspace.observe(lateMs / 1000)
    else {
      metrics.lateness[look.lane].observe(lateMs / 1000)
      lateness.began(lateMs, rhythm.intervalMs)
    }
    watch(post)
    events.begin(post, at)
  }

  const drop = (post: Post): void => {
    post.busy = false
  }

  /** A look that ends immediately ends in here: the loop goes on with the next, or thousands would begin inside each other. */
  const pump = (): void => {
    if (beginning) return
    beginning = true
    for (let post = stopped ? undefined : lanes.next(drop); post !== undefined; post = stopped ? undefined : lanes.next(drop)) {
      begin(post)
    }
    beginning = false
  }

  const admit = (duties: ReadonlyArray<Duty>): void => {
    for (const { due, post, slot } of duties) {
      const { look } = post
      look.slot = slot
      look.due = due
      look.ready = due
      look.again = false
      look.stage = "spread"
      if (hosts.enter(post.host, post, elapsed)) lanes.offer(post)
    }
  }

  const skip = ({ due, post, slot }: Duty): void => {
    const { look } = post
    if (look.stage === "under_way" || look.stage === "idle") return metrics.skipped("under_way")
    look.slot = slot
    look.due = due
    look.ready = due
    if (look.stage === "spread") return metrics.skipped("host_rate")
    if (lanes.isFull(post)) return metrics.skipped("workspace_share")
    lateness.missed()
    metrics.skipped("no_slot")
  }

  /** Those that have become slow ask for a slot of the slow lane, and get a lease. */
  const age = (): void => {
    for (let begun = young.begun.peek(); begun !== undefined && begun <= elapsed - slowMs; begun = young.begun.peek()) {
      young.begun.shift()
      const post = young.posts.shift()
      if (post === undefined || post.look.stage !== "under_way" || post.look.begun !== begun) continue
      const lease = leases.add(begun + post.assignment.timeoutMs + leaseMarginMs, post)
      post.look.endLease = () => leases.cancel(lease)
      if (post.look.lane === "fast" && !post.look.moving) lanes.overstay(post)
    }
    for (const post of leases.advance(elapsed)) events.abandon(post)
  }

  const release = (at: number): void => {
    for (const post of hosts.advance(elapsed)) {
      metrics.heldBack.host.observe(Math.max(at - post.look.due, 0) / 1000)
      post.look.ready = at
      lanes.offer(post)
    }
  }

  const tick = (at: number, due: ReadonlyArray<Duty>): void => {
    // Should the last tick have broken off in the middle.
    beginning = false
    elapsed += Math.min(Math.max(at - last, 0), longestTickMs)
    last = at
    age()
    release(at)
    admit(due)
    pump()
    metrics.inFlight.fast.set(lanes.inFlight("fast"))
    metrics.inFlight.slow.set(lanes.inFlight("slow"))
    metrics.checksWaiting.fast.set(lanes.waiting("fast"))
    metrics.checksWaiting.slow.set(lanes.waiting("slow"))
    metrics.checksWaiting.spread.set(hosts.waiting())
  }

  /** No host is no crowd. */
  const countAt = ({ host }: Post, monitors: number): void => (host === "" ? undefined : hosts.count(host, monitors))

  return {
    joined: (post) => countAt(post, 1),
    left: (post) => countAt(post, -1),
    skip,
    tick,
    restart: (post) => {
      unwatch(post)
      watch(post)
    },
    end: (post) => {
      post.wasSlow = elapsed - post.look.begun >= slowMs
      post.busy = false
      unwatch(post)
      lanes.end(post)
      pump()
    },
    stop: () => {
      stopped = true
    },
    spread: hosts.waiting,
    takeLateness: lateness.take
  }
}
