/** Runs jobs that need a process each: few at a time, which workspaces share fairly. */
import { Duration, Effect, FiberSet } from "effect"
import { makeFairQueue } from "../domain/tools/queues/FairQueue.ts"
import type { Deadlines } from "../egress/Deadlines.ts"
import type { Overloaded } from "./Overloaded.ts"

interface FairRunsOptions<Job, End> {
  readonly deadlines: Deadlines
  /** Runs at a time. With several, one always stays free for other workspaces. */
  readonly slots: number
  /** How many runs may wait, in total and per workspace. Where all places are taken, the workspace with most gives one up. */
  readonly room: { readonly total: number; readonly perOwner: number }
  /** A run that waits longer is skipped, ms. */
  readonly longestWaitMs: number
  readonly overloaded: Overloaded
  /** Finds out whether runs can succeed; none begins before. */
  readonly prepare: Effect.Effect<boolean>
  /** Starts a run, which calls `end` once. Returns a function that kills it. */
  readonly begin: (job: Job, end: (end: End) => void) => () => void
}

interface Ticket<Job, End> {
  readonly owner: string
  readonly job: Job
  readonly done: (end: End | Overloaded) => void
  /** Null once it has begun, ended or was cancelled. */
  cancelWait: (() => void) | null
  kill: (() => void) | null
}

/** After this, a probe that cannot run jobs tries again. */
const retryAfter = Duration.minutes(1)

/** Prepares with the first run, and again a minute after it failed. Returns whether runs can begin; calls `pump` once they can. */
const makeReadiness = (prepare: Effect.Effect<boolean>, pump: () => void) =>
  Effect.map(FiberSet.makeRuntime<never>(), (start) => {
    let state: "unknown" | "preparing" | "known" = "unknown"
    const find = Effect.gen(function*() {
      const canRun = yield* prepare
      state = "known"
      pump()
      if (canRun) return
      yield* Effect.sleep(retryAfter)
      state = "unknown"
    })
    return (): boolean => {
      const isUnknown = state === "unknown"
      if (isUnknown) {
        state = "preparing"
        start(find)
      }
      return !isUnknown && state === "known"
    }
  })

/** The queue of waiting runs. */
const makeWaiting = <Job, End>({ overloaded, room, slots }: FairRunsOptions<Job, End>) => {
  const queue = makeFairQueue<Ticket<Job, End>>({
    slots,
    mostPerOwner: Math.max(1, slots - 1),
    room: { ...room, weigh: () => 1 }
  })
  /** Ends a wait, which then holds no place. */
  const stopWaiting = (ticket: Ticket<Job, End>): void => {
    ticket.cancelWait?.()
    ticket.cancelWait = null
    queue.remove(ticket.owner, ticket)
  }
  const refuse = (ticket: Ticket<Job, End>): void => {
    stopWaiting(ticket)
    ticket.done(overloaded)
  }
  return { queue, refuse, stopWaiting }
}

/** The runs end with the scope. */
export const makeFairRuns = <Job, End>(options: FairRunsOptions<Job, End>) =>
  Effect.gen(function*() {
    const { deadlines, longestWaitMs } = options
    const { queue, refuse, stopWaiting } = makeWaiting(options)
    const running = new Set<Ticket<Job, End>>()
    const isReady = yield* makeReadiness(options.prepare, () => pump())

    const leave = (ticket: Ticket<Job, End>): void => {
      if (!running.delete(ticket)) return
      ticket.kill = null
      queue.release(ticket.owner)
      pump()
    }

    const begin = (ticket: Ticket<Job, End>): void => {
      ticket.cancelWait?.()
      ticket.cancelWait = null
      running.add(ticket)
      const kill = options.begin(ticket.job, (end) => {
        leave(ticket)
        ticket.done(end)
      })
      // It may have ended already.
      if (running.has(ticket)) ticket.kill = kill
    }

    const pump = (): void => {
      if (!isReady()) return
      for (let ticket = queue.take(); ticket !== undefined; ticket = queue.take()) begin(ticket)
    }

    yield* Effect.addFinalizer(() => Effect.sync(() => running.forEach(({ kill }) => kill?.())))

    /** Calls `done` once. Returns a function that cancels, and kills a run that has begun. */
    return (owner: string, job: Job, done: (end: End | Overloaded) => void): () => void => {
      const ticket: Ticket<Job, End> = { owner, job, done, cancelWait: null, kill: null }
      ticket.cancelWait = deadlines.after(longestWaitMs, () => refuse(ticket))
      if (!queue.offerOrDisplace(owner, ticket, refuse)) {
        refuse(ticket)
        return () => {}
      }
      pump()
      return () => {
        stopWaiting(ticket)
        ticket.kill?.()
        leave(ticket)
      }
    }
  })
