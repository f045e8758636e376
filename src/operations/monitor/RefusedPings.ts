/** Pings that could not be stored, until the database is back: our own failure must not count as a missed ping. */
import { makeBoundedBuffer } from "../../domain/tools/queues/BoundedBuffer.ts"
import type { Ping } from "../../store/monitor/Ping.ts"

/** Limits of the kept pings: about ten minutes of 2,000 pings a minute. */
const most = { items: 20_000, bytes: 16 * 1024 * 1024 }

/** Bytes of a ping without its texts. */
const barePing = 400

const weigh = ({ error, signal }: Ping): number =>
  barePing + 2 * ((error?.length ?? 0) + (signal?.log?.length ?? 0) + (signal?.rid?.length ?? 0))

export const makeRefusedPings = () => {
  const kept = makeBoundedBuffer<Ping>({ ...most, weigh })
  let lost = false
  return {
    keep: (ping: Ping) => {
      if (kept.offer(ping) > 0) lost = true
    },
    take: kept.take,
    putBack: (pings: ReadonlyArray<Ping>) => {
      if (kept.putBack(pings) > 0) lost = true
    },
    size: kept.size,
    /** Notes that a ping was dropped that was taken from here. */
    lose: () => {
      lost = true
    },
    /** Whether pings were lost since the last call: there were more than can be kept, or one cannot be stored at all. */
    takeLoss: () => {
      const found = lost
      lost = false
      return found
    }
  }
}

export type RefusedPings = ReturnType<typeof makeRefusedPings>
