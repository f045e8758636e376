/** Mints check ids. Random bytes are drawn in batches, because a draw costs more than the rest of an id. */
import { randomFillSync } from "node:crypto"
import { CheckId } from "../../schema/Ids.ts"
import { makeId } from "../domain/Id.ts"

const bytesPerId = 10
const idsPerDraw = 256

/** Returns a function that mints the id of a check from the check's time (ms since 1970). */
export const makeCheckIds = (): (at: number) => CheckId => {
  const pool = new Uint8Array(bytesPerId * idsPerDraw)
  let used = pool.length
  return (at) => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    return CheckId.make(makeId("chk", at, pool.subarray(used, used += bytesPerId)), { disableValidation: true })
  }
}
