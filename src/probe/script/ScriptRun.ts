/** One run of a script in a sandbox process: passes its calls on, collects its logs and steps, and kills it at its limits. */
import { Either } from "effect"
import type { ChildProcess } from "node:child_process"
import { Duplex } from "node:stream"
import type { ScriptEvidence } from "../../../schema/check/Check.ts"
import { scriptLimits } from "../../domain/check/answer/ScriptLimits.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import type { EgressGuard } from "../../egress/EgressGuard.ts"
import type { TlsSettings } from "../../egress/TlsTrust.ts"
import { makeScriptCalls, type ScriptCalls } from "./ScriptCalls.ts"
import { decodeSandboxMessage, type PageCall, type ParentMessage, type SandboxMessage } from "./ScriptMessages.ts"

/** The end of a run. `timeout`: killed at its deadline. `crashed`: its process exited without a result. */
export interface ScriptEnd {
  readonly end: Extract<SandboxMessage, { readonly t: "done" }>["end"] | "timeout" | "crashed"
  readonly message: string | null
  /** The time since the start of the script, without that of its process, ms. */
  readonly totalMs: number
  readonly evidence: ScriptEvidence
}

/** The end of a script that did not run, or not by itself. */
export const endedEarly = (end: "crashed" | "limit", message: string): ScriptEnd => ({
  end,
  message,
  totalMs: 0,
  evidence: { logs: [], logsCut: false, steps: [], requests: [] }
})

/** Carries out the script's actions on a page; `value` is JSON. `left` is what remains of the run's time, ms. */
export type PageHandler = (
  call: PageCall,
  left: () => number,
  reply: (value: string) => void
) => void

export interface ScriptJob {
  readonly code: string
  /** JSON. */
  readonly env: string
  readonly timeoutMs: number
  /** The egress guard of its workspace, for its requests. */
  readonly guard: EgressGuard
  /** The TLS settings of the script's requests. */
  readonly tls: TlsSettings
}

/** The sandbox stops a script at its timeout itself; the parent kills one that has not stopped by then. */
const graceMs = 500

/** How long a process may take to start. */
const startMs = 15_000

/** A line must not grow beyond its limit while it is incomplete. */
const makeLines = (onLine: (line: string) => void, onFlood: (why: string) => void): (text: string) => void => {
  let rest = ""
  let total = 0
  let count = 0
  return (text) => {
    total += text.length
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    if (total > scriptLimits.totalBytes || rest.length > scriptLimits.messageBytes) {
      return onFlood("The script sent too much and was stopped")
    }
    for (const line of lines) {
      if (++count > scriptLimits.messages) {
        return onFlood(`The script made more than ${scriptLimits.messages} calls and was stopped`)
      }
      onLine(line)
    }
  }
}

const pipeOf = (child: ChildProcess): Duplex | null => {
  const pipe = child.stdio[3]
  return pipe instanceof Duplex ? pipe : null
}

type Log = ScriptEvidence["logs"][number]
type Step = ScriptEvidence["steps"][number]

/** Collects the script's output, and keeps to the limits even if the sandbox does not. */
const makeRecord = () => {
  const logs: Array<Log> = []
  const steps: Array<Step> = []
  let characters = 0
  let logsCut = false
  return {
    log: (level: Log["level"], text: string): void => {
      const room = scriptLimits.logCharacters - characters
      if (logs.length >= scriptLimits.logLines || room <= 0) {
        logsCut = true
        return
      }
      characters += Math.min(text.length, room)
      logs.push({ level, text: storable(text.slice(0, room)) })
    },
    cutLogs: (): void => {
      logsCut = true
    },
    step: ({ error, ms, name }: Step): void => {
      if (steps.length < scriptLimits.steps) {
        steps.push({ name: storable(name), ms, error: error === null ? null : storable(error) })
      }
    },
    evidence: (requests: ScriptEvidence["requests"]): ScriptEvidence => ({ logs, logsCut, steps, requests: [...requests] })
  }
}

/** A run under way. */
interface Run {
  readonly child: ChildProcess
  readonly pipe: Duplex | null
  readonly job: ScriptJob
  readonly record: ReturnType<typeof makeRecord>
  readonly calls: ScriptCalls
  readonly onPage: PageHandler | null
  readonly done: (end: ScriptEnd) => void
  /** On the monotonic clock, ms; null while the process starts. */
  startedAt: number | null
  over: boolean
  cancelDeadline: () => void
}

const elapsed = ({ startedAt }: Pick<Run, "startedAt">): number => (startedAt === null ? 0 : performance.now() - startedAt)

const send = (run: Run, message: ParentMessage): void => {
  const { over, pipe } = run
  if (over || pipe === null) return
  pipe.write(`${JSON.stringify(message)}\n`)
  if (pipe.writableLength > scriptLimits.untakenBytes) {
    finish(run, "limit", "The script does not take its answers and was stopped")
  }
}

const stop = (run: Run): void => {
  run.over = true
  run.cancelDeadline()
  run.calls.stop()
  run.child.kill("SIGKILL")
}

const finish = (run: Run, end: ScriptEnd["end"], message: string | null): void => {
  if (run.over) return
  const totalMs = elapsed(run)
  stop(run)
  run.done({ end, message, totalMs, evidence: run.record.evidence(run.calls.requests) })
}

const timedOut = (run: Run): void =>
  finish(run, "timeout", `The script did not end within ${run.job.timeoutMs} ms and was stopped`)

const begin = (run: Run): void => {
  if (run.startedAt !== null) return
  run.startedAt = performance.now()
  run.cancelDeadline()
  const { code, env, guard, timeoutMs } = run.job
  run.cancelDeadline = guard.deadlines.after(timeoutMs + graceMs, () => timedOut(run))
  send(run, { t: "run", code, env, timeoutMs, hasPage: run.onPage !== null })
}

const receive = (run: Run, message: SandboxMessage): void => {
  switch (message.t) {
    case "ready":
      return begin(run)
    case "log":
      return run.record.log(message.level, message.text)
    case "logsCut":
      return run.record.cutLogs()
    case "step":
      return run.record.step(message)
    case "http":
      return run.calls.http(message)
    case "page":
      return run.onPage?.(
        message,
        () => run.job.timeoutMs - elapsed(run),
        (value) => send(run, { t: "reply", id: message.id, ok: true, value })
      )
    case "sleep":
      return run.calls.sleep(message.id, message.ms)
    case "done":
      // The sandbox knows its deadline, but not the words for it.
      return message.end === "limit" && elapsed(run) >= run.job.timeoutMs
        ? timedOut(run)
        : finish(run, message.end, message.message)
  }
}

const receiveLine = (run: Run, line: string): void => {
  if (run.over) return
  Either.match(decodeSandboxMessage(line), {
    onLeft: () => finish(run, "crashed", "The sandbox broke its protocol and was stopped"),
    onRight: (message) => receive(run, message)
  })
}

const exited = (run: Run): void =>
  finish(
    run,
    "crashed",
    run.startedAt === null ? "The sandbox did not start" : "The script broke its sandbox, probably by its use of memory"
  )

/** Runs a job in a process that was just started. Calls `done` once, when the process is gone or about to be. Returns a kill. */
export const runScript = (
  child: ChildProcess,
  job: ScriptJob,
  now: () => number,
  done: (end: ScriptEnd) => void,
  onPage: PageHandler | null = null
): () => void => {
  const left = (): number => job.timeoutMs - elapsed(run)
  const run: Run = {
    child,
    pipe: pipeOf(child),
    job,
    record: makeRecord(),
    calls: makeScriptCalls({
      guard: job.guard,
      tls: job.tls,
      now,
      left,
      reply: (id, ok, value) => send(run, { t: "reply", id, ok, value })
    }),
    onPage,
    done,
    startedAt: null,
    over: false,
    cancelDeadline: job.guard.deadlines.after(startMs, () => finish(run, "crashed", "The sandbox did not start in time"))
  }
  run.pipe?.setEncoding("utf8")
  run.pipe?.on(
    "data",
    makeLines(
      (line) => receiveLine(run, line),
      (why) => finish(run, "limit", why)
    )
  )
  run.pipe?.on("error", () => {})
  child.on("error", (error) => finish(run, "crashed", `The sandbox cannot start: ${error.message}`))
  child.on("exit", () => exited(run))
  return () => stop(run)
}
