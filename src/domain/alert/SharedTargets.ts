/**
 * Channels of one workspace with the same target share one delivery of each event, so that a receiver gets it once. All settings of
 * a channel together are its target: whichever of them decides who receives (a URL, a topic, a key, a header by which a relay
 * routes), channels that differ in it have different receivers. Signing secrets, names and filters are not settings.
 */
import { Array, Predicate } from "effect"
import { mask } from "../../../schema/Mask.ts"

type Settings = Readonly<Record<string, unknown>>

export interface Receiver {
  readonly id: string
  readonly type: string
  readonly url: string | null
  /** Their values are kept sealed. */
  readonly headerNames: ReadonlyArray<string>
  /** The other settings, as the record shows them. */
  readonly settings: Settings
  /** A keyed hash of `hashedTarget`; null if no setting is sealed, or if an earlier version wrote the channel. */
  readonly targetHash: string | null
}

/** Spellings that reach the same address count as one. The fragment is not sent. */
const normalized = (text: string): string => {
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  url.hash = ""
  return url.href
}

const isGiven = (value: unknown): boolean =>
  Predicate.isNotNullable(value) && (!Predicate.isObject(value) || Object.keys(value).length > 0)

/** The case of header names does not count, nor does the order of headers or recipients. */
const canonical = (value: unknown): unknown =>
  globalThis.Array.isArray(value)
    ? [...new Set(value.map((one) => JSON.stringify(one)))].sort()
    : Predicate.isRecord(value)
    ? Object.entries(value).map(([name, inner]) => JSON.stringify([name.toLowerCase(), inner])).sort()
    : value

/** A URL alone is its own text, as earlier versions hashed it. */
const textOf = ({ url, ...others }: Settings): string => {
  const given = Object.entries(others).filter(([, value]) => isGiven(value))
  return [
    Predicate.isString(url) ? normalized(url) : "",
    ...given.map(([name, value]) => JSON.stringify([name, canonical(value)])).sort()
  ].join("\n")
}

/** The text that the keyed hash of a target covers; null if no setting is sealed. */
export const hashedTarget = (shown: Settings, sealed: Settings): string | null =>
  Object.values(sealed).some(isGiven) ? textOf({ ...shown, ...sealed }) : null

/** Whether the record shows something in place of a sealed setting. */
const hides = ({ headerNames, settings, url }: Receiver): boolean =>
  headerNames.length > 0 || JSON.stringify([url, settings]).includes(mask)

/** The text that a channel shares with those that have the same target; its own id if its target is not known. */
export const targetOf = (receiver: Receiver): string => {
  const { id, settings, targetHash, type, url } = receiver
  if (targetHash !== null) return `${type} #${targetHash}`
  const text = textOf({ ...settings, url })
  return text === "" || hides(receiver) ? id : `${type} ${text}`
}

/** Those of `others` that have the target of a receiver. */
export const withTargetOf = <A extends Receiver>(receiver: Receiver, others: ReadonlyArray<A>): ReadonlyArray<A> => {
  const target = targetOf(receiver)
  return others.filter((other) => other.id !== receiver.id && targetOf(other) === target)
}

export interface SharedDelivery<A> {
  /** Sends and signs it with its own settings, and its record shows it: the oldest channel with the target. */
  readonly carrier: A
  /** The others, oldest first. The first of them takes over if the carrier is deleted, disabled or gets another target. */
  readonly sharedWith: ReadonlyArray<A>
}

export const shareTargets = <A extends Receiver>(receivers: ReadonlyArray<A>): ReadonlyArray<SharedDelivery<A>> =>
  Object.values(Array.groupBy(receivers, targetOf)).map((same) => {
    // Ids sort by time.
    const [carrier, ...sharedWith] = Array.sortWith(same, ({ id }) => id, (one, other) => one < other ? -1 : one > other ? 1 : 0)
    return { carrier, sharedWith }
  })

/** The other receivers with the same target, oldest first, of each receiver in order. */
export const identicalOnes = <A extends Receiver>(receivers: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => {
  const same = new Map(
    shareTargets(receivers).flatMap(({ carrier, sharedWith }) => {
      const all = [carrier, ...sharedWith]
      return all.map((one) => [one, all.filter((other) => other !== one)] as const)
    })
  )
  return receivers.map((one) => same.get(one) ?? [])
}
