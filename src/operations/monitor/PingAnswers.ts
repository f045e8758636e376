/** Answers the pings of a batch, and caches for the current minute which tokens need no further query. */
import { Exit } from "effect"
import { Counter } from "prom-client"
import { frameOf } from "../../../cluster/check/LiveChecks.ts"
import { NotFound, RateLimited, Unavailable } from "../../../schema/Errors.ts"
import { instant } from "../../../schema/Fields.ts"
import type { HeartbeatReceipt } from "../../../schema/monitor/Heartbeat.ts"
import { pingCause, pushedCheck } from "../../domain/monitor/Heartbeat.ts"
import { type Fate, type Ping, pingsPerMinute } from "../../store/monitor/PingLog.ts"

/** The answer to a ping. */
export type Answer = Exit.Exit<HeartbeatReceipt, NotFound | RateLimited | Unavailable>

/** A ping waiting to be stored. */
export interface Waiting {
  readonly ping: Ping
  readonly answer: (answer: Answer) => void
}

/** Limit of the cache of unknown tokens. */
const maxUnknownTokens = 10_000

const minuteMs = 60_000

export const pingsTaken = new Counter({
  name: "belltower_pings_total",
  help: "Heartbeat pings by outcome",
  labelNames: ["fate"]
})

export const unknownToken = Exit.fail(
  new NotFound({
    message: "No heartbeat monitor has this token",
    hint: "GET /api/v1/monitors returns the pingUrl of each monitor. Deleting a monitor invalidates its token"
  })
)

export const notStored = Exit.fail(
  new Unavailable({ message: "The ping could not be stored", hint: "Send it again in a few seconds" })
)

const tooMany = (now: number) => {
  const retryAfterSec = Math.max(1, Math.ceil((minuteMs - now % minuteMs) / 1000))
  return Exit.fail(
    new RateLimited({
      message: `At most ${pingsPerMinute} pings per minute`,
      hint: `Try again in ${retryAfterSec} s`,
      details: { retryAfterSec }
    })
  )
}

/** The check that live streams of the workspace show for a ping. */
const liveFrame = (ping: Ping, { monitorId, workspaceId }: Fate): ReadonlyArray<string> =>
  monitorId === null || workspaceId === null ? [] : [frameOf({
    counted: true,
    result: {
      ...pushedCheck({ ...ping, monitorId, revision: 0, cause: pingCause(ping.outcome) }),
      workspaceId,
      timings: null,
      evidence: null
    }
  })]

export interface PingAnswers {
  /** The cached answer for a token that is unknown or over its limit in the minute of `now` (ms); else null. */
  readonly known: (tokenHash: string, now: number) => Answer | null
  /** Answers a batch in order; per token, only as many pings succeed as were stored. Returns the live stream frames. */
  readonly settle: (
    batch: ReadonlyArray<Waiting>,
    fateOf: (tokenHash: string) => Fate | undefined,
    now: number
  ) => ReadonlyArray<string>
}

export const makePingAnswers = (): PingAnswers => {
  let minute = 0
  const spent = new Set<string>()
  const unknown = new Set<string>()

  const turnTo = (now: number) => {
    if (Math.floor(now / minuteMs) === minute) return
    minute = Math.floor(now / minuteMs)
    spent.clear()
    unknown.clear()
  }

  const known = (hash: string, now: number): Answer | null => {
    turnTo(now)
    if (unknown.has(hash)) return unknownToken
    return spent.has(hash) ? tooMany(now) : null
  }

  const settle: PingAnswers["settle"] = (batch, fateOf, now) => {
    const left = new Map<string, number>()
    const frames: Array<string> = []
    for (const { answer, ping } of batch) {
      const fate = fateOf(ping.tokenHash)
      if (fate === undefined || fate.monitorId === null) {
        if (unknown.size < maxUnknownTokens) unknown.add(ping.tokenHash)
        pingsTaken.inc({ fate: "unknown" })
        answer(unknownToken)
        continue
      }
      if (fate.held) {
        pingsTaken.inc({ fate: "failed" })
        answer(notStored)
        continue
      }
      const room = left.get(ping.tokenHash) ?? fate.taken
      left.set(ping.tokenHash, room - 1)
      if (room <= 0) {
        spent.add(ping.tokenHash)
        pingsTaken.inc({ fate: "limited" })
        answer(tooMany(now))
        continue
      }
      pingsTaken.inc({ fate: "stored" })
      if (fate.watched) frames.push(...liveFrame(ping, fate))
      answer(Exit.succeed({ ok: true, at: instant(ping.at) }))
    }
    return frames
  }

  return { known, settle }
}
