/** Runs jobs that need a process each: few at a time, which workspaces share fairly. */
import { makeFairQueue } from "../../domain/tools/FairQueue.ts"
import type { Deadlines } from "../../egress/Deadlines.ts"
import type { Overloaded } from "../Overloaded.ts"

export interface FairRunsOptions<Job, End> {
  readonly deadlines: Deadlines
  /** Runs at a time. With several, one always stays free for other workspaces. */
  readonly slots: number
  /** How many runs may wait, in total and per workspace. */
  readonly room: { readonly total: number; readonly perOwner: number }
  /** A run that waits longer is skipped, ms. */
  readonly longestWaitMs: number
  readonly overloaded: Overloaded
  /** Whether runs can begin; if not, `pump` is called when they can. */
  readonly isReady: () => boolean
  /** Starts a run, which calls `end` once. Returns a function that kills it. */
  readonly begin: (job: Job, end: (end: End) => void) => () => void
}

export interface FairRuns<Job, End> {
  /** Calls `done` once. Returns a function that cancels, and kills a run that has begun. */
  readonly run: (owner: string, job: Job, done: (end: End | Overloaded) => void) => () => void
  readonly pump: () => void
  readonly killAll: () => void
}

interface Ticket<Job, End> {
  readonly owner: string
  readonly job: Job
  readonly done: (end: End | Overloaded) => void
  /** Null once it has begun, ended or was cancelled. */
  cancelWait: (() => void) | null
  kill: (() => void) | null
}

export const makeFairRuns = <Job, End>(options: FairRunsOptions<Job, End>): FairRuns<Job, End> => {
  const { slots } = options
  const queue = makeFairQueue<Ticket<Job, End>>({
    slots,
    mostPerOwner: Math.max(1, slots - 1),
    room: { ...options.room, weigh: () => 1 }
  })
  const running = new Set<Ticket<Job, End>>()

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
    if (!options.isReady()) return
    for (let ticket = queue.take(); ticket !== undefined; ticket = queue.take()) {
      if (ticket.cancelWait === null) queue.release(ticket.owner)
      else begin(ticket)
    }
  }

  return {
    pump,
    killAll: () => {
      for (const ticket of running) ticket.kill?.()
    },
    run: (owner, job, done) => {
      const ticket: Ticket<Job, End> = { owner, job, done, cancelWait: null, kill: null }
      const cancelWait = options.deadlines.after(options.longestWaitMs, () => {
        ticket.cancelWait = null
        done(options.overloaded)
      })
      ticket.cancelWait = cancelWait
      if (!queue.offer(owner, ticket)) {
        cancelWait()
        ticket.cancelWait = null
        done(options.overloaded)
        return () => {}
      }
      pump()
      return () => {
        ticket.cancelWait?.()
        ticket.cancelWait = null
        ticket.kill?.()
        leave(ticket)
      }
    }
  }
}
