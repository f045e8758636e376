/** The caps on streams that are open at a time, over all processes. */
import { RateLimited } from "../../../schema/Errors.ts"

/** An owner with a cap on streams. A stream without a key counts against its address only. */
export type StreamOwner = "key" | "workspace" | "address"

export type StreamCaps = Readonly<Record<StreamOwner, number>>

export const defaultStreamCaps: StreamCaps = { key: 50, workspace: 200, address: 200 }

const names = {
  key: "key or person",
  workspace: "workspace",
  address: "client address"
} as const satisfies Record<StreamOwner, string>

/** Streams end by themselves after ten minutes, so a retry makes sense; the time is a guess. */
const retryAfterSec = 10

/** The refusal of one more stream beside those that are `open`; null if it may be opened. */
export const streamRefusal = (caps: StreamCaps, open: Readonly<Record<StreamOwner, number>>): RateLimited | null => {
  const owner = (["key", "workspace", "address"] as const).find((one) => open[one] >= caps[one])
  return owner === undefined ? null : new RateLimited({
    message: `At most ${caps[owner]} streams at a time for one ${names[owner]}`,
    hint: "Share one stream among its readers, or close a stream that you no longer read",
    details: { retryAfterSec }
  })
}
