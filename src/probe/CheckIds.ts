/** Mints check ids. Random bytes are drawn in batches, because a draw costs more than the rest of an id. */
import { randomFillSync } from "node:crypto"
import { CheckId, type MonitorId } from "../../schema/Ids.ts"
import { makeCheckId } from "../domain/check/history/CheckKey.ts"
import { makeId } from "../domain/tools/Id.ts"

const bytesPerId = 10
const idsPerDraw = 256

/** Adds 1 to the number in the last four bytes. */
const raise = (bytes: Uint8Array): void => {
  for (let at = bytesPerId - 1; at >= bytesPerId - 4; at--) {
    const raised = ((bytes[at] ?? 0) + 1) & 255
    bytes[at] = raised
    if (raised !== 0) return
  }
}

/**
 * Returns a function that mints the id of a check from its time (ms since 1970) and its monitor, if that is known. Ids without a
 * monitor that are minted one after the other for the same time are in that order.
 */
export const makeCheckIds = (): (at: number, monitorId: MonitorId | null) => CheckId => {
  const pool = new Uint8Array(bytesPerId * idsPerDraw)
  let used = pool.length
  const latest = { at: 0, random: new Uint8Array(bytesPerId) }
  return (at, monitorId) => {
    if (monitorId === null && at === latest.at) {
      raise(latest.random)
      return CheckId.make(makeId("chk", at, latest.random), { disableValidation: true })
    }
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const random = pool.subarray(used, used += bytesPerId)
    if (monitorId !== null) return makeCheckId(monitorId, at, random)
    latest.at = at
    latest.random.set(random)
    // Room above it for those that follow.
    latest.random[bytesPerId - 4] = (latest.random[bytesPerId - 4] ?? 0) & 127
    return CheckId.make(makeId("chk", at, latest.random), { disableValidation: true })
  }
}
