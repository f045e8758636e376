/**
 * Decides when each due check starts: spreads checks at one host, shares the slots between workspaces, moves slow checks to
 * the slow lane, and abandons checks that never end. Plain state, driven by the worker's clock.
 */
import { makeHostLimit } from "../domain/check/address/HostLimit.ts"
import { makeLatenessWindow } from "../domain/check/probe/LatenessWindow.ts"
import type { LatenessSummary } from "../domain/check/probe/LatenessWindow.ts"
import { makeTimingWheel } from "../domain/check/probe/TimingWheel.ts"
import { makeFifo } from "../domain/Fifo.ts"
import { makeLanes } from "../domain/Lanes.ts"
import type { ProbeMetrics } from "./Metrics.ts"
import type { ProbeLimits } from "./ProbeLimits.ts"
import type { Duty, Post, RotaListener } from "./Rota.ts"

/** A check that takes longer than this is slow. */
export const slowMs = 1000

/** How much longer than its timeout a check can take, including judging, before the worker abandons it. */
export const leaseMarginMs = 30_000

/** Caps the time one tick counts, so checks do not age while the machine stands still or the loop is blocked. */
const longestTickMs = 1000

export interface SchedulerEvents {
  /** Starts the check of a post, which holds a slot until `end`. */
  readonly begin: (post: Post, now: number) => void
  /** The check's lease has expired. */
  readonly abandon: (post: Post) => void
}

export interface Scheduler extends RotaListener {
  /** Sets this worker's part of the region's monitors, above 0 and up to 1; with it go the rates of hosts. */
  readonly setShare: (share: number) => void
  /** A check falls due before the monitor's last one has ended: a waiting check takes over the new slot; else it is skipped. */
  readonly skip: (duty: Duty) => void
  /** Advances time to `now` (ms since 1970), queues the due checks, and starts every check that has a slot. */
  readonly tick: (now: number, due: ReadonlyArray<Duty>) => void
  /** Resets the age of a check that starts over. */
  readonly restart: (post: Post) => void
  /** The check has ended; frees its slot. */
  readonly end: (post: Post) => void
  readonly stop: () => void
  /** Number of checks that wait for their host's rate limit. */
  readonly spread: () => number
  /** How late checks started since the last call. */
  readonly takeLateness: () => LatenessSummary
}

/** A quarter of the slots is fast: fast checks need theirs for a short time only. */
const lanesOf = ({ concurrency, workspacePercent }: ProbeLimits) => {
  const fast = Math.max(1, Math.ceil(concurrency / 4))
  return makeLanes<Post>({
    slots: { fast, slow: Math.max(1, concurrency - fast) },
    ownerPercent: workspacePercent,
    ownerOf: ({ assignment }) => assignment.workspaceId,
    placeOf: ({ look }) => look
  })
}

export const makeScheduler = (
  limits: ProbeLimits,
  metrics: ProbeMetrics,
  now: () => number,
  events: SchedulerEvents
): Scheduler => {
  const lanes = lanesOf(limits)
  let share = 1
  const hosts = makeHostLimit<Post>(limits.hostRate, ({ assignment }) => assignment.workspaceId, () => share)
  const lateness = makeLatenessWindow()
  /** Monotonic time in which this process was running, ms. */
  let elapsed = 0
  let last = now()
  const leases = makeTimingWheel<Post>(elapsed, 250, 1024)
  // Checks that are not slow yet, oldest first, with their start time: a post may have started another check since.
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
    if (lanes.heldBack(post, look.step)) metrics.heldBack.workspace.observe(lateMs / 1000)
    else {
      metrics.lateness[look.lane].observe(lateMs / 1000)
      lateness.began(lateMs, rhythm.intervalMs)
    }
    watch(post)
    events.begin(post, at)
  }

  /** Takes the next check that can start. A waiting check whose monitor was removed ends without one. */
  const next = (): Post | undefined => {
    let post = stopped ? undefined : lanes.next()
    for (; post?.gone === true; post = lanes.next()) {
      lanes.end(post)
      post.busy = false
    }
    return post
  }

  /** A check starts in the fast lane unless the monitor's last check was slow. */
  const queue = (post: Post): void => {
    const lane = post.wasSlow ? "slow" : "fast"
    post.look.step = lanes.step(lane)
    lanes.offer(post, lane)
  }

  /** A check can end synchronously. The guard makes the loop start the next one; recursion would nest thousands deep. */
  const pump = (): void => {
    if (beginning) return
    beginning = true
    for (let post = next(); post !== undefined; post = next()) begin(post)
    beginning = false
  }

  const admit = (duties: ReadonlyArray<Duty>): void => {
    for (const { attempt, due, post, slot } of duties) {
      const { look } = post
      look.slot = slot
      look.attempt = attempt
      look.due = due
      look.ready = due
      look.again = false
      look.stage = "spread"
      if (hosts.enter(post.host, post, elapsed)) queue(post)
    }
  }

  const skip = ({ attempt, due, post, slot }: Duty): void => {
    const { look } = post
    if (look.stage === "under_way" || look.stage === "idle") return metrics.skipped("under_way")
    look.slot = slot
    look.attempt = attempt
    look.due = due
    look.ready = due
    if (look.stage === "spread") return metrics.skipped("host_rate")
    if (lanes.isFull(post)) return metrics.skipped("workspace_share")
    lateness.missed()
    metrics.skipped("no_slot")
  }

  /** Gives checks that have become slow a lease, and requests a slow-lane slot for them. */
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
      queue(post)
    }
  }

  const tick = (at: number, due: ReadonlyArray<Duty>): void => {
    // Still true if the last tick threw.
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

  /** Targets without a host are not rate-limited. */
  const countAt = ({ host }: Post, monitors: number): void => (host === "" ? undefined : hosts.count(host, monitors))

  return {
    setShare: (part) => {
      share = part
    },
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
