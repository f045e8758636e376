/** Finds channels with the same settings, whose receiver gets each event several times: any setting may decide who receives. */
import { Array, Predicate } from "effect"
import { mask } from "../../../schema/Mask.ts"
import { parsedUrl } from "../../../schema/UrlText.ts"

type Settings = Readonly<Record<string, unknown>>

export interface Receiver {
  readonly id: string
  readonly type: string
  readonly url: string | null
  /** The names alone: the values are kept sealed. */
  readonly headerNames: ReadonlyArray<string>
  /** The other settings, as the record shows them. */
  readonly settings: Settings
  /** A keyed hash of `hashedTarget`; null if no setting is sealed, or if an earlier version wrote the channel. */
  readonly targetHash: string | null
}

/** Spellings that reach the same address count as one. The fragment is not sent. */
const normalized = (text: string): string => {
  const url = parsedUrl(text)
  if (url === null) return text
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

/** True if the record shows something in place of a sealed setting. */
const hides = ({ headerNames, settings, url }: Receiver): boolean =>
  headerNames.length > 0 || JSON.stringify([url, settings]).includes(mask)

/** The same text for channels with the same target; the id of one whose target is not known. */
const targetOf = (receiver: Receiver): string => {
  const { id, settings, targetHash, type, url } = receiver
  if (targetHash !== null) return `${type} #${targetHash}`
  const text = textOf({ ...settings, url })
  return text === "" || hides(receiver) ? id : `${type} ${text}`
}

/** The most that are named for each: naming all of 300 that are alike would take 90,000 ids. */
const mostIdentical = 20

/** The first other receivers with the same target, in their order, of each receiver in order. */
export const identicalOnes = <A extends Receiver>(receivers: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => {
  const targets = receivers.map(targetOf)
  const firstOf = new Map<string, Array<A>>()
  for (const [one, target] of Array.zip(receivers, targets)) {
    const first = firstOf.get(target)
    if (first === undefined) firstOf.set(target, [one])
    else if (first.length <= mostIdentical) first.push(one)
  }
  return Array.zipWith(
    receivers,
    targets,
    (one, target) => (firstOf.get(target) ?? []).filter((other) => other !== one).slice(0, mostIdentical)
  )
}
