/**
 * The pings that wait because another transaction has locked their heartbeat's row, such as a plan or the deletion of a workspace. Pings
 * of the same heartbeat that come meanwhile wait behind them, so that they are stored in order.
 */
import type { Waiting } from "./PingAnswers.ts"

/** How often a row is tried; then its pings are given up. */
export const lockedTries = 40

/** Above this, pings of locked rows are refused. */
const mostWaiting = 5_000

export interface LockedPings {
  readonly has: (tokenHash: string) => boolean
  /** False, and nothing is added, if too many wait. */
  readonly add: (one: Waiting) => boolean
  readonly isEmpty: () => boolean
  /** Takes the pings of some heartbeats: about so many. Until `settle`, pings that come are kept for the time after. */
  readonly take: (about: number) => ReadonlyArray<Waiting>
  /** Ends the taken pings; those still locked wait for their next turn. Returns the pings that are given up. */
  readonly settle: (isLocked: (tokenHash: string) => boolean) => ReadonlyArray<Waiting>
}

interface Row {
  pings: Array<Waiting>
  tried: number
}

export const makeLockedPings = (): LockedPings => {
  const rows = new Map<string, Row>()
  let taken = new Map<string, ReadonlyArray<Waiting>>()
  let size = 0

  return {
    has: (tokenHash) => rows.has(tokenHash),
    add: (one) => {
      if (size >= mostWaiting) return false
      size++
      const row = rows.get(one.ping.tokenHash)
      if (row === undefined) rows.set(one.ping.tokenHash, { pings: [one], tried: 0 })
      else row.pings.push(one)
      return true
    },
    isEmpty: () => rows.size === 0,
    take: (about) => {
      let count = 0
      for (const [tokenHash, row] of rows) {
        if (count >= about) break
        taken.set(tokenHash, row.pings)
        count += row.pings.length
        row.pings = []
      }
      return [...taken.values()].flat()
    },
    settle: (isLocked) => {
      const givenUp: Array<Waiting> = []
      for (const [tokenHash, pings] of taken) {
        const row = rows.get(tokenHash)
        if (row === undefined) continue
        // Behind those that were not tried.
        rows.delete(tokenHash)
        if (!isLocked(tokenHash)) {
          if (row.pings.length > 0) rows.set(tokenHash, { pings: row.pings, tried: 0 })
        } else if (row.tried + 1 >= lockedTries) givenUp.push(...pings, ...row.pings)
        else rows.set(tokenHash, { pings: [...pings, ...row.pings], tried: row.tried + 1 })
      }
      taken = new Map()
      size = Array.from(rows.values()).reduce((sum, { pings }) => sum + pings.length, 0)
      return givenUp
    }
  }
}
