/** The pool of judging threads. Workspaces share them fairly; a job that exceeds its deadline is terminated with its thread. */
import { Either } from "effect"
import { Worker } from "node:worker_threads"
import { bundledFile } from "../../domain/tools/BundledFile.ts"
import { type FairQueue, makeFairQueue } from "../../domain/tools/queues/FairQueue.ts"
import type { Deadlines } from "../../egress/Deadlines.ts"
import type { Finding, JudgeJob, JudgeReply, Part } from "./JudgeJob.ts"

interface JudgePoolOptions {
  readonly threads: number
  /** Maximum time per job, ms. */
  readonly deadlineMs: number
  readonly deadlines: Deadlines
}

/**
 * The outcome of a job: `Done`: all parts judged; `Overrun`: one part exceeded the deadline; `Broken`: no thread can start;
 * `Displaced`: it waited, and gave its place in the full queue to another workspace.
 */
export type JobEnd =
  | { readonly _tag: "Done" }
  | { readonly _tag: "Overrun"; readonly part: Part }
  | { readonly _tag: "Broken"; readonly cause: unknown }
  | { readonly _tag: "Displaced" }

interface JobListener {
  readonly found: (part: Part, finding: Finding) => void
  readonly ended: (end: JobEnd) => void
}

interface Ticket {
  readonly owner: string
  readonly job: JudgeJob
  listener: JobListener | null
}

interface Thread {
  readonly worker: Worker
  ready: boolean
  ticket: Ticket | null
  found: number
  cancelDeadline: () => void
}

/** Limits of the queue in characters of response bodies, in total and per workspace; an empty body counts as 1024. */
const room = {
  total: 64 * 1_048_576,
  perOwner: 16 * 1_048_576,
  weigh: ({ job }: Ticket): number => Math.max(1024, job.facts.body.length)
}

const nothing = (): void => {}

interface Pool extends JudgePoolOptions {
  readonly queue: FairQueue<Ticket>
  running: Array<Thread>
  closed: boolean
}

const leave = ({ queue }: Pool, thread: Thread): Ticket | null => {
  const { ticket } = thread
  thread.cancelDeadline()
  thread.cancelDeadline = nothing
  thread.ticket = null
  if (ticket !== null) queue.release(ticket.owner)
  return ticket
}

const end = (pool: Pool, thread: Thread): void => {
  pool.running = pool.running.filter((other) => other !== thread)
  void thread.worker.terminate()
}

const finish = (pool: Pool, thread: Thread, how: JobEnd): void => {
  leave(pool, thread)?.listener?.ended(how)
  pump(pool)
}

/** Parts are judged in order, so the number of findings is the index of the current part. */
const overrun = (pool: Pool, thread: Thread): void => {
  const part = thread.ticket?.job.parts[thread.found]
  end(pool, thread)
  finish(pool, thread, part === undefined ? { _tag: "Done" } : { _tag: "Overrun", part })
}

/** If a thread cannot start, the next one cannot either: without another, fails all queued jobs instead of leaving them to wait. */
const notStarted = ({ queue, running }: Pool, cause: unknown): void => {
  if (running.length > 0) return
  for (let ticket = queue.take(); ticket !== undefined; ticket = queue.take()) {
    queue.release(ticket.owner)
    ticket.listener?.ended({ _tag: "Broken", cause })
  }
}

const handleReply = (pool: Pool, thread: Thread, reply: JudgeReply): void => {
  switch (reply._tag) {
    case "Ready":
      thread.ready = true
      return pump(pool)
    case "Found":
      thread.found++
      return thread.ticket?.listener?.found(reply.part, reply.finding)
    case "Done":
      return finish(pool, thread, reply)
  }
}

const spawn = (pool: Pool): void => {
  // Where no thread can start, Node throws.
  const started = Either.try(() =>
    new Worker(bundledFile("judgeThread.js") ?? "judgeThread.js", {
      resourceLimits: { maxOldGenerationSizeMb: 256 },
      env: {},
      execArgv: []
    })
  )
  if (Either.isLeft(started)) return notStarted(pool, started.left)
  const worker = started.right
  const thread: Thread = { worker, ready: false, ticket: null, found: 0, cancelDeadline: nothing }
  worker.unref()
  worker.on("message", (reply: JudgeReply) => {
    if (pool.running.includes(thread)) handleReply(pool, thread, reply)
  })
  worker.on("error", (cause) => {
    if (!pool.running.includes(thread)) return
    // A ready thread ran out of memory; any other failed to start.
    if (thread.ready) return overrun(pool, thread)
    end(pool, thread)
    notStarted(pool, cause)
  })
  pool.running.push(thread)
}

const begin = (pool: Pool, thread: Thread, ticket: Ticket): void => {
  thread.ticket = ticket
  thread.found = 0
  thread.cancelDeadline = pool.deadlines.after(pool.deadlineMs, () => overrun(pool, thread))
  thread.worker.postMessage(ticket.job)
}

const idleIn = ({ running }: Pool): Thread | undefined => running.find(({ ready, ticket }) => ready && ticket === null)

const pump = (pool: Pool): void => {
  const { closed, queue, running, threads } = pool
  if (closed) return
  for (let idle = idleIn(pool); idle !== undefined; idle = idleIn(pool)) {
    const ticket = queue.take()
    if (ticket === undefined) return
    if (ticket.listener === null) queue.release(ticket.owner)
    else begin(pool, idle, ticket)
  }
  const starting = running.filter(({ ready }) => !ready).length
  if (queue.waiting() > starting && running.length < threads) spawn(pool)
}

const displaced = ({ listener }: Ticket): void => listener?.ended({ _tag: "Displaced" })

export const makeJudgePool = (options: JudgePoolOptions) => {
  // With several threads, one always stays free for other workspaces.
  const queue = makeFairQueue<Ticket>({ slots: options.threads, mostPerOwner: Math.max(1, options.threads - 1), room })
  const pool: Pool = { ...options, queue, running: [], closed: false }
  return {
    /** Queues a job. Returns a function that cancels it, or null if the queue is full. */
    submit: (owner: string, job: JudgeJob, listener: JobListener): (() => void) | null => {
      const ticket: Ticket = { owner, job, listener }
      if (pool.closed || !queue.offerOrDisplace(owner, ticket, displaced)) return null
      pump(pool)
      return () => {
        ticket.listener = null
        queue.remove(owner, ticket)
      }
    },
    close: (): void => {
      pool.closed = true
      for (const thread of pool.running) end(pool, thread)
    }
  }
}
