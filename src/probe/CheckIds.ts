/** Mints check ids. Random bytes are drawn in batches, because a draw costs more than the rest of an id. */
import { randomFillSync } from "node:crypto"
import { CheckId, type MonitorId } from "../../schema/Ids.ts"
import { makeCheckId } from "../domain/check/history/CheckKey.ts"
import { makeId } from "../domain/tools/Id.ts"

const bytesPerId = 10
const idsPerDraw = 256

/** Returns a function that mints the id of a check from its time (ms since 1970) and its monitor, if that is known. */
export const makeCheckIds = (): (at: number, monitorId: MonitorId | null) => CheckId => {
  const pool = new Uint8Array(bytesPerId * idsPerDraw)
  let used = pool.length
  return (at, monitorId) => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const random = pool.subarray(used, used += bytesPerId)
    return monitorId === null
      ? CheckId.make(makeId("chk", at, random), { disableValidation: true })
      : makeCheckId(monitorId, at, random)
  }
}
