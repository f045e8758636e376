/** Mints the ids of checks, with random bytes drawn for many at once: a draw costs more than the rest of an id. */
import { randomFillSync } from "node:crypto"
import { CheckId } from "../../schema/Ids.ts"
import { makeId } from "../domain/Id.ts"

const bytesOfOne = 10
const idsOfOneDraw = 256

/** A function that mints the id of a check made at an instant, ms since 1970. */
export const makeCheckIds = (): (at: number) => CheckId => {
  const pool = new Uint8Array(bytesOfOne * idsOfOneDraw)
  let used = pool.length
  return (at) => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    return CheckId.make(makeId("chk", at, pool.subarray(used, used += bytesOfOne)), { disableValidation: true })
  }
}
