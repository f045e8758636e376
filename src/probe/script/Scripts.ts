/** Runs scripts in isolated processes, one process for each run; workspaces share the processes fairly. */
import { Effect, Runtime } from "effect"
import type { Scope } from "effect"
import { makeFairQueue } from "../../domain/FairQueue.ts"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { Overloaded } from "../Overloaded.ts"
import { findIsolation, launch } from "./Launcher.ts"
import type { Isolation } from "./Launcher.ts"
import { runScript } from "./ScriptRun.ts"
import type { ScriptEnd, ScriptJob } from "./ScriptRun.ts"

/** Each process holds up to about 130 MB, and 60 MB usually. */
const processes = 4

/** With several processes, one always stays free for other workspaces. */
const mostPerOwner = processes - 1

/** How many runs may wait, in total and per workspace. */
const room = { total: 200, perOwner: 50, weigh: () => 1 }

/** A run that waits longer is skipped, ms. */
const longestWaitMs = 30_000

const overloaded = new Overloaded({
  resource: "scripts",
  message: "The script was not run: too many scripts of this workspace are waiting. Use longer intervals or shorter scripts."
})

interface Ticket {
  readonly owner: string
  readonly job: ScriptJob
  readonly done: (end: ScriptEnd | Overloaded) => void
  /** Null once it has begun, ended or was cancelled. */
  cancelWait: (() => void) | null
  kill: (() => void) | null
}

const noEvidence: ScriptEnd["evidence"] = { logs: [], logsCut: false, steps: [], requests: [] }

export class Scripts extends Effect.Service<Scripts>()("belltower/Scripts", {
  scoped: Effect.gen(function*() {
    const guard = yield* EgressGuard
    const clock = yield* Effect.clock
    const queue = makeFairQueue<Ticket>({ slots: processes, mostPerOwner, room })
    const running = new Set<Ticket>()
    const runFork = Runtime.runFork(yield* Effect.runtime<Scope.Scope>())
    let isolation: Isolation | null = null
    let isSearching = false
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const ticket of running) ticket.kill?.()
      })
    )
    const leave = (ticket: Ticket): void => {
      if (!running.delete(ticket)) return
      ticket.kill = null
      queue.release(ticket.owner)
      pump()
    }

    /** At the first script: most workers never run one. */
    const findOnce = (): void => {
      if (isSearching) return
      isSearching = true
      runFork(Effect.forkScoped(
        Effect.flatMap(findIsolation, (found) => {
          isolation = found
          return Effect.zipRight(Effect.logInfo(`Scripts run in processes with ${found.name}`), Effect.sync(pump))
        })
      ))
    }

    const begin = (ticket: Ticket, isolated: Isolation): void => {
      ticket.cancelWait?.()
      ticket.cancelWait = null
      running.add(ticket)
      const child = launch(isolated)
      const end = (how: ScriptEnd): void => {
        leave(ticket)
        ticket.done(how)
      }
      if (child === null) {
        return end({
          end: "crashed",
          message: "The sandbox program is missing; build it first",
          totalMs: 0,
          evidence: noEvidence
        })
      }
      ticket.kill = runScript(child, ticket.job, guard, () => clock.unsafeCurrentTimeMillis(), end)
    }

    const pump = (): void => {
      if (isolation === null) return findOnce()
      for (let ticket = queue.take(); ticket !== undefined; ticket = queue.take()) {
        if (ticket.cancelWait === null) queue.release(ticket.owner)
        else begin(ticket, isolation)
      }
    }

    /** Calls `done` once. Returns a function that cancels, and kills a script that runs. */
    const run = (owner: string, job: ScriptJob, done: (end: ScriptEnd | Overloaded) => void): () => void => {
      const ticket: Ticket = { owner, job, done, cancelWait: null, kill: null }
      const cancelWait = guard.deadlines.after(longestWaitMs, () => {
        ticket.cancelWait = null
        done(overloaded)
      })
      ticket.cancelWait = cancelWait
      if (!queue.offer(owner, ticket)) {
        cancelWait()
        ticket.cancelWait = null
        done(overloaded)
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

    return { run }
  })
}) {}
