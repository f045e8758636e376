/** Channels of one workspace with the same type and URL share one delivery of each event, so that a receiver gets it once. */
import { Array } from "effect"

export interface Receiver {
  readonly id: string
  readonly type: string
  readonly url: string | null
  /** A keyed hash of a URL that is kept sealed. */
  readonly targetHash: string | null
}

/** Spellings that reach the same address count as one. The fragment is not sent. */
const normalized = (text: string): string => {
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  url.hash = ""
  return url.href
}

/** The text that a channel shares with those that have the same target; its own id if its type has no URL. */
export const targetOf = ({ id, targetHash, type, url }: Receiver): string =>
  targetHash !== null ? `${type} #${targetHash}` : url !== null ? `${type} ${normalized(url)}` : id

/** The URL as the keyed hash of a sealed one covers it. */
export const hashedTarget = (url: string): string => normalized(url)

export interface SharedDelivery<A> {
  /** Sends and signs it with its own settings, and its record shows it: the oldest channel with the target. */
  readonly carrier: A
  /** The others, oldest first. The first of them takes over if the carrier is deleted, disabled or gets another URL. */
  readonly sharedWith: ReadonlyArray<A>
}

export const shareTargets = <A extends Receiver>(receivers: ReadonlyArray<A>): ReadonlyArray<SharedDelivery<A>> =>
  Object.values(Array.groupBy(receivers, targetOf)).map((same) => {
    // Ids sort by time.
    const [carrier, ...sharedWith] = Array.sortWith(same, ({ id }) => id, (one, other) => one < other ? -1 : one > other ? 1 : 0)
    return { carrier, sharedWith }
  })
