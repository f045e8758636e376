/** Answers the pings of a batch, and remembers for the current minute which tokens need no further query. */
import { Exit } from "effect"
import { Counter } from "prom-client"
import { NotFound, RateLimited, Unavailable } from "../../../schema/Errors.ts"
import { instant } from "../../../schema/Fields.ts"
import type { HeartbeatReceipt } from "../../../schema/monitor/Heartbeat.ts"
import { pingCause, pushedCheck } from "../../domain/monitor/job/Heartbeat.ts"
import type { PingCheck } from "../../domain/monitor/job/JobRuns.ts"
import { frameOf } from "../../services/check/LiveChecks.ts"
import { type Ping, pingsPerMinute, type StoredPings } from "../../store/monitor/Ping.ts"
import type { RefusedPings } from "./RefusedPings.ts"

export type Answer = Exit.Exit<HeartbeatReceipt, NotFound | RateLimited | Unavailable>

export interface Waiting {
  readonly ping: Ping
  readonly answer: (answer: Answer) => void
}

/** Unknown tokens that a process remembers at most. */
const mostUnknown = 10_000

const minuteMs = 60_000

export const pingsTaken = new Counter({
  name: "belltower_pings_total",
  help: "Pings of heartbeats, by what became of them",
  labelNames: ["fate"]
})

export const unknownToken = Exit.fail(
  new NotFound({
    message: "No heartbeat monitor has this token",
    hint: "GET /api/v1/monitors shows the pingUrl of each; a deleted monitor's token is gone"
  })
)

const notStored = Exit.fail(
  new Unavailable({ message: "The ping could not be stored", hint: "Send it again in a few seconds" })
)

const tooMany = (now: number) => {
  const retryAfterSec = Math.max(1, Math.ceil((minuteMs - now % minuteMs) / 1000))
  return Exit.fail(
    new RateLimited({
      message: `At most ${pingsPerMinute} pings a minute`,
      hint: `Try again in ${retryAfterSec} s`,
      details: { retryAfterSec }
    })
  )
}

/** The live-stream frame of the check that a ping became; none for an unknown token, and for starts and logs. */
const liveFrame = (ping: Ping, { checks, monitorId, workspaceId }: StoredPings): ReadonlyArray<string> => {
  if (monitorId === null || workspaceId === null) return []
  const { checkId, at, error, latencyMs, outcome } = ping
  const plain: PingCheck = { checkId, at, outcome, latencyMs, error, cause: pingCause(outcome) }
  const check = checks === undefined ? plain : checks.get(ping.checkId)
  return check === undefined ? [] : [frameOf({ workspaceId, check: pushedCheck({ ...check, monitorId, revision: 0 }) })]
}

/** `refused` keeps what is answered with `unavailable`. */
export const makePingAnswers = (refused: Pick<RefusedPings, "keep">) => {
  let minute = 0
  const spent = new Set<string>()
  const unknown = new Set<string>()

  const turnTo = (now: number) => {
    if (Math.floor(now / minuteMs) === minute) return
    minute = Math.floor(now / minuteMs)
    spent.clear()
    unknown.clear()
  }

  /** The answer that needs no query, for a token that is unknown or past its limit in the minute of `now` (ms); else null. */
  const known = (hash: string, now: number): Answer | null => {
    turnTo(now)
    if (unknown.has(hash)) return unknownToken
    return spent.has(hash) ? tooMany(now) : null
  }

  /** Answers pings of unlocked rows in their order: of each token, as many as were stored. Gives the frames for the live streams. */
  const settle = (
    batch: ReadonlyArray<Waiting>,
    storedOf: (tokenHash: string) => StoredPings | undefined,
    now: number
  ): ReadonlyArray<string> => {
    const left = new Map<string, number>()
    const frames: Array<string> = []
    for (const { answer, ping } of batch) {
      const token = storedOf(ping.tokenHash)
      if (token === undefined || token.monitorId === null) {
        if (unknown.size < mostUnknown) unknown.add(ping.tokenHash)
        pingsTaken.inc({ fate: "unknown" })
        answer(unknownToken)
        continue
      }
      const room = left.get(ping.tokenHash) ?? token.stored
      left.set(ping.tokenHash, room - 1)
      if (room <= 0) {
        spent.add(ping.tokenHash)
        pingsTaken.inc({ fate: "limited" })
        answer(tooMany(now))
        continue
      }
      pingsTaken.inc({ fate: "stored" })
      if (token.watched) frames.push(...liveFrame(ping, token))
      answer(Exit.succeed({ ok: true, at: instant(ping.at) }))
    }
    return frames
  }

  const refuse = (batch: ReadonlyArray<Waiting>): void => {
    pingsTaken.inc({ fate: "failed" }, batch.length)
    for (const { answer, ping } of batch) {
      refused.keep(ping)
      answer(notStored)
    }
  }

  return { known, settle, refuse }
}

export type PingAnswers = ReturnType<typeof makePingAnswers>
