/** The tag of a monitor in the ids of its checks, by which an id alone leads to the block that holds the check. */
import { CheckId, type MonitorId } from "../../../../schema/Ids.ts"
import { idBytes, makeId } from "../../tools/Id.ts"

/** Where the tag is in the 16 bytes of an id, after its time, version and variant. */
const tagAt = 9

/** The random bytes of `makeId` begin here in the id. */
const randomAt = 6

/** A monitor's tag, a 32-bit number: FNV-1a of its id. Monitors may share one, so a lookup by tag compares the ids, too. */
export const monitorTag = (id: MonitorId): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193)
  return hash | 0
}

const tagIn = (bytes: Uint8Array): number => new DataView(bytes.buffer, bytes.byteOffset).getInt32(tagAt)

/** The tag in an id; null if the text is not an id of this form. An id made before its monitor was known has a random one. */
export const tagOfCheck = (id: string): number | null => {
  const bytes = idBytes(id)
  return bytes === null ? null : tagIn(bytes)
}

export const hasTag = (bytes: Uint8Array, tag: number): boolean => tagIn(bytes) === tag

export const setTag = (bytes: Uint8Array, tag: number): void => new DataView(bytes.buffer, bytes.byteOffset).setInt32(tagAt, tag)

/** The bytes of the id that is being made. */
const own = new Uint8Array(10)
const ownView = new DataView(own.buffer)

/** The id of a check of this monitor at `at` (ms since 1970), from 10 random bytes. 42 bits of them remain random. */
export const makeCheckId = (monitorId: MonitorId, at: number, random: Uint8Array): CheckId => {
  for (let i = 0; i < own.length; i++) own[i] = random[i] ?? 0
  ownView.setInt32(tagAt - randomAt, monitorTag(monitorId))
  return CheckId.make(makeId("chk", at, own), { disableValidation: true })
}
