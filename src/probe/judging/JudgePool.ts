/** The pool of judging threads. Workspaces share them fairly; a job that exceeds its deadline is terminated with its thread. */
import { Either } from "effect"
import { Worker } from "node:worker_threads"
import { bundledFile } from "../../domain/tools/BundledFile.ts"
import { makeFairQueue } from "../../domain/tools/FairQueue.ts"
import type { Deadlines } from "../../egress/Deadlines.ts"
import type { Finding, JudgeJob, JudgeReply, Part } from "./JudgeJob.ts"

export interface JudgePoolOptions {
  readonly threads: number
  /** Maximum time per job, ms. */
  readonly deadlineMs: number
  readonly deadlines: Deadlines
}

/** The outcome of a job: `Done`: all parts judged; `Overrun`: one part exceeded the deadline; `Broken`: no thread can start. */
export type JobEnd =
  | { readonly _tag: "Done" }
  | { readonly _tag: "Overrun"; readonly part: Part }
  | { readonly _tag: "Broken"; readonly cause: unknown }

interface JobListener {
  readonly found: (part: Part, finding: Finding) => void
  readonly ended: (end: JobEnd) => void
}

export interface JudgePool {
  /** Queues a job. Returns a function that cancels it, or null if the queue is full. */
  readonly submit: (owner: string, job: JudgeJob, listener: JobListener) => (() => void) | null
  readonly close: () => void
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

export const makeJudgePool = ({ deadlineMs, deadlines, threads: maxThreads }: JudgePoolOptions): JudgePool => {
  // With several threads, one always stays free for other workspaces.
  const queue = makeFairQueue<Ticket>({ slots: maxThreads, mostPerOwner: Math.max(1, maxThreads - 1), room })
  let threads: Array<Thread> = []
  let closed = false

  const leave = (thread: Thread): Ticket | null => {
    const { ticket } = thread
    thread.cancelDeadline()
    thread.cancelDeadline = nothing
    thread.ticket = null
    if (ticket !== null) queue.release(ticket.owner)
    return ticket
  }

  const end = (thread: Thread): void => {
    threads = threads.filter((other) => other !== thread)
    void thread.worker.terminate()
  }

  const finish = (thread: Thread, how: JobEnd): void => {
    leave(thread)?.listener?.ended(how)
    pump()
  }

  /** Parts are judged in order, so the number of findings is the index of the current part. */
  const overrun = (thread: Thread): void => {
    const part = thread.ticket?.job.parts[thread.found]
    end(thread)
    finish(thread, part === undefined ? { _tag: "Done" } : { _tag: "Overrun", part })
  }

  /** If a thread cannot start, the next one cannot either: without another, fails all queued jobs instead of leaving them to wait. */
  const notStarted = (cause: unknown): void => {
    if (threads.length > 0) return
    for (let ticket = queue.take(); ticket !== undefined; ticket = queue.take()) {
      queue.release(ticket.owner)
      ticket.listener?.ended({ _tag: "Broken", cause })
    }
  }

  const handleReply = (thread: Thread, reply: JudgeReply): void => {
    switch (reply._tag) {
      case "Ready":
        thread.ready = true
        return pump()
      case "Found":
        thread.found++
        return thread.ticket?.listener?.found(reply.part, reply.finding)
      case "Done":
        return finish(thread, reply)
    }
  }

  const spawn = (): void => {
    // Where no thread can start, Node throws.
    const started = Either.try(() =>
      new Worker(bundledFile("judgeThread.js") ?? "judgeThread.js", {
        resourceLimits: { maxOldGenerationSizeMb: 256 },
        env: {},
        execArgv: []
      })
    )
    if (Either.isLeft(started)) return notStarted(started.left)
    const worker = started.right
    const thread: Thread = { worker, ready: false, ticket: null, found: 0, cancelDeadline: nothing }
    worker.unref()
    worker.on("message", (reply: JudgeReply) => {
      if (threads.includes(thread)) handleReply(thread, reply)
    })
    worker.on("error", (cause) => {
      if (!threads.includes(thread)) return
      // A ready thread ran out of memory; any other failed to start.
      if (thread.ready) return overrun(thread)
      end(thread)
      notStarted(cause)
    })
    threads.push(thread)
  }

  const begin = (thread: Thread, ticket: Ticket): void => {
    thread.ticket = ticket
    thread.found = 0
    thread.cancelDeadline = deadlines.after(deadlineMs, () => overrun(thread))
    thread.worker.postMessage(ticket.job)
  }

  const pump = (): void => {
    if (closed) return
    for (let idle = threads.find(({ ready, ticket }) => ready && ticket === null); idle !== undefined;) {
      const ticket = queue.take()
      if (ticket === undefined) return
      if (ticket.listener === null) queue.release(ticket.owner)
      else begin(idle, ticket)
      idle = threads.find(({ ready, ticket }) => ready && ticket === null)
    }
    const starting = threads.filter(({ ready }) => !ready).length
    if (queue.waiting() > starting && threads.length < maxThreads) spawn()
  }

  return {
    submit: (owner, job, listener) => {
      const ticket: Ticket = { owner, job, listener }
      if (closed || !queue.offer(owner, ticket)) return null
      pump()
      return () => {
        ticket.listener = null
      }
    },
    close: () => {
      closed = true
      for (const thread of threads) end(thread)
    }
  }
}
