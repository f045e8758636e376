/** Follows the runs of a job through its pings: a start opens one, its end closes it. Times are milliseconds since 1970. */
import type { Cause, Outcome } from "../../../../schema/check/Check.ts"
import { type CheckId, RunId } from "../../../../schema/Ids.ts"
import type { OpenRun, RunSignal, RunState } from "../../../../schema/monitor/JobRun.ts"
import type { HeartbeatTarget } from "../../../../schema/monitor/kinds/heartbeat.ts"
import { durationText } from "../../tools/time/Duration.ts"
import type { JobSignal } from "./JobSignal.ts"

/** A ping as it arrived. */
export interface ArrivedPing {
  readonly checkId: CheckId
  readonly at: number
  readonly outcome: Outcome
  readonly latencyMs: number | null
  readonly error: string | null
  readonly signal?: JobSignal
}

/** The check that the end of a run is. */
export interface PingCheck extends Omit<ArrivedPing, "signal"> {
  readonly cause: Cause | null
}

export interface RunRow {
  readonly id: RunId
  readonly state: RunState
  readonly rid: string | null
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly durationMs: number | null
  readonly exitCode: number | null
  readonly error: string | null
  /** Bytes that these pings add to its logs. */
  readonly logBytes: number
}

export interface LogRow {
  readonly id: CheckId
  readonly at: number
  readonly runId: RunId
  readonly signal: RunSignal
  readonly octets: number
  /** Null if the day's budget is spent. */
  readonly text: string | null
}

/** The logs kept on a UTC day, counted from 1970. */
export interface LogBudget {
  readonly day: number
  readonly bytes: number
}

export interface JobState {
  readonly open: ReadonlyArray<OpenRun>
  readonly budget: LogBudget
}

export interface TakenSignals extends JobState {
  readonly runs: ReadonlyArray<RunRow>
  readonly logs: ReadonlyArray<LogRow>
  readonly checks: ReadonlyArray<PingCheck>
}

/** The runs of a job that are followed at a time; a further start gives the oldest up. */
const mostOpen = 50
/** Bytes of logs that are kept of a job and UTC day: what failed may use all of it, the rest leaves a quarter. */
export const dailyLogs = { ofFailures: 1_048_576, ofOthers: 786_432 }
/** UTF-16 units of the longest output that `isOutput` lets by. */
const longestOutput = 16_384
const dayMs = 86_400_000
/** A run may take this long where the grace is shorter and `maxRunSec` is not set, s. */
const leastRunSec = 60

/** How long a run may take, ms. */
export const longestRun = ({ graceSec, maxRunSec }: HeartbeatTarget): number =>
  (maxRunSec ?? Math.max(graceSec, leastRunSec)) * 1000

/** When the first open run has taken too long; null if none can. */
export const firstDue = (open: ReadonlyArray<OpenRun>, target: HeartbeatTarget): number | null =>
  open.reduce<number | null>((first, { at, overdue }) => {
    const due = at + longestRun(target)
    return overdue === true || (first !== null && first <= due) ? first : due
  }, null)

export const dayOf = (at: number): number => Math.floor(at / dayMs)

/** The id of the run that a ping begins, or is: with the same bytes. */
export const runIdOf = (id: CheckId): RunId => RunId.make(`run_${id.slice(id.indexOf("_") + 1)}`, { disableValidation: true })

const msText = (ms: number): string => (ms < 10_000 ? `${Math.round(ms)} ms` : durationText(ms / 1000))

const silent: JobSignal = { kind: "end", rid: null, exitCode: null, log: null, logBytes: 0 }

const rowOf = ({ at, id, overdue, rid }: OpenRun): RunRow => ({
  id,
  state: overdue === true ? "overdue" : "running",
  rid: rid === "" ? null : rid,
  startedAt: at,
  endedAt: null,
  durationMs: null,
  exitCode: null,
  error: null,
  logBytes: 0
})

const lost = (run: OpenRun): RunRow => ({
  ...rowOf(run),
  state: "lost",
  error: "The job started again before this run had ended"
})

/** The check of a run's end: a run that was good and slow is degraded. */
const endCheck = ({ at, checkId, error, outcome }: ArrivedPing, durationMs: number | null, limitMs: number | null): PingCheck => {
  const base = { checkId, at, latencyMs: durationMs }
  return outcome === "up" && durationMs !== null && limitMs !== null && durationMs > limitMs
    ? {
      ...base,
      outcome: "degraded",
      error: `The run took ${msText(durationMs)}, longer than degradedAfterMs (${msText(limitMs)})`,
      cause: "slow"
    }
    : { ...base, outcome, error, cause: outcome === "up" ? null : "reported" }
}

/** A ping that only says that the job is well makes no run, unless one is open. */
const saysMore = ({ latencyMs, outcome, signal }: ArrivedPing): boolean =>
  outcome !== "up" || latencyMs !== null || signal !== undefined

/** True for pings that need the runs of their job; others do while one is open. */
export const needsRuns = saysMore

/** A ping of a job that is well that says nothing but what it printed: while no run is open, it is a run of its own. */
export const isOutput = ({ latencyMs, outcome, signal }: ArrivedPing): boolean =>
  outcome === "up" && latencyMs === null && signal?.kind === "end" && signal.exitCode === null && signal.rid === null &&
  signal.log !== null && signal.log.length <= longestOutput

/** The runs while pings are taken, in their order. */
const makeLedger = (before: JobState) => {
  let open = before.open
  let budget = before.budget
  const runs = new Map<RunId, RunRow>()
  const logs: Array<LogRow> = []
  const put = (row: RunRow) => void runs.set(row.id, { ...row, logBytes: row.logBytes + (runs.get(row.id)?.logBytes ?? 0) })
  return {
    put,
    find: (rid: string) => open.find((run) => run.rid === rid),
    has: (id: RunId) => open.some((run) => run.id === id),
    close: (id: RunId) => void (open = open.filter((run) => run.id !== id)),
    start: (run: OpenRun) => {
      const others = open.filter(({ rid }) => rid !== run.rid)
      const kept = others.slice(Math.max(0, others.length + 1 - mostOpen))
      for (const one of open) if (!kept.includes(one)) put(lost(one))
      open = [...kept, run]
      put(rowOf(run))
    },
    /** Keeps the text of a ping, within the budget of its day. */
    log: ({ at, checkId, outcome }: ArrivedPing, { kind, log, logBytes }: JobSignal, runId: RunId) => {
      if (log === null) return 0
      const day = dayOf(at)
      const spent = budget.day === day ? budget.bytes : 0
      const bytes = Buffer.byteLength(log)
      const fits = spent + bytes <= (outcome === "up" ? dailyLogs.ofOthers : dailyLogs.ofFailures)
      budget = { day, bytes: fits ? spent + bytes : spent }
      logs.push({ id: checkId, at, runId, signal: kind, octets: logBytes, text: fits ? log : null })
      return logBytes
    },
    taken: () => ({ open, budget, runs: [...runs.values()], logs })
  }
}

type Ledger = ReturnType<typeof makeLedger>

const takeStart = (ledger: Ledger, ping: ArrivedPing, signal: JobSignal): void => {
  const id = runIdOf(ping.checkId)
  // A batch whose result was lost is taken again.
  if (!ledger.has(id)) ledger.start({ id, rid: signal.rid ?? "", at: ping.at })
  const found = ledger.find(signal.rid ?? "")
  if (found !== undefined) ledger.put({ ...rowOf(found), logBytes: ledger.log(ping, signal, id) })
}

const takeLog = (ledger: Ledger, ping: ArrivedPing, signal: JobSignal): void => {
  if (signal.log === null) return
  const found = ledger.find(signal.rid ?? "")
  const id = found?.id ?? runIdOf(ping.checkId)
  const logBytes = ledger.log(ping, signal, id)
  const base = rowOf(found ?? { id, rid: signal.rid ?? "", at: ping.at })
  ledger.put(
    found === undefined ? { ...base, state: "logged", startedAt: null, endedAt: ping.at, logBytes } : { ...base, logBytes }
  )
}

const takeEnd = (ledger: Ledger, ping: ArrivedPing, signal: JobSignal, limitMs: number | null): PingCheck => {
  const found = ledger.find(signal.rid ?? "")
  const durationMs = ping.latencyMs ?? (found === undefined ? null : Math.max(0, ping.at - found.at))
  const check = endCheck(ping, durationMs, limitMs)
  if (found === undefined && !saysMore(ping)) return check
  const id = found?.id ?? runIdOf(ping.checkId)
  ledger.close(id)
  ledger.put({
    ...rowOf(found ?? { id, rid: signal.rid ?? "", at: ping.at }),
    state: check.outcome,
    // A job may say that it took any time, also one that began before 1970.
    startedAt: found?.at ?? (durationMs === null || durationMs > ping.at ? null : ping.at - durationMs),
    endedAt: ping.at,
    durationMs,
    exitCode: signal.exitCode,
    error: check.error,
    logBytes: ledger.log(ping, signal, id)
  })
  return check
}

/** Takes the pings of one heartbeat in their order. Starts and logs are no checks. */
export const takeSignals = (before: JobState, pings: ReadonlyArray<ArrivedPing>, target: HeartbeatTarget): TakenSignals => {
  const ledger = makeLedger(before)
  const limitMs = target.degradedAfterMs ?? null
  const checks: Array<PingCheck> = []
  for (const ping of pings) {
    const signal = ping.signal ?? silent
    if (signal.kind === "start") takeStart(ledger, ping, signal)
    else if (signal.kind === "log") takeLog(ledger, ping, signal)
    else checks.push(takeEnd(ledger, ping, signal, limitMs))
  }
  return { ...ledger.taken(), checks }
}
