/** Reads the statuses of many things from one JSON document, in the forms that status pages and health endpoints use. */
import { Either, Option, Predicate } from "effect"
import type { ManifestEntry } from "../../../../schema/check/Check.ts"
import type { ComponentStatus } from "../../../../schema/component/Component.ts"
import { worse } from "../../component/ComponentStatus.ts"

/** A longer document is cut after so many keys, and a longer key or message after so many characters. */
export const mostKeys = 500
const longestKey = 120
const longestMessage = 500

/** The entries travel with each result, so a longer list is cut after so many characters. */
const mostCharacters = 131_072

/** Words for a status, in lower case. Sources write those of several parts with blanks, underscores or none, as Instatus does. */
const words = {
  operational:
    "operational ok okay up pass passed passing healthy true 1 green available online normal none success running active good",
  degraded: "degraded degraded_performance has_issues minor_outage warn warning slow minor yellow impaired unstable",
  partial_outage: "partial_outage partial partially_down major_degradation orange",
  major_outage:
    "major_outage down fail failed failing failure error critical outage full_outage unhealthy false 0 red offline unavailable major out_of_service bad",
  maintenance: "maintenance under_maintenance scheduled_maintenance planned_maintenance in_maintenance"
} satisfies Record<ComponentStatus, string>

/** -1 is not 1: only what stands between letters goes. */
const unbroken = (text: string): string => text.trim().toLowerCase().replace(/(?<=[a-z])[\s_-]+(?=[a-z])/g, "")

const statuses: ReadonlyMap<string, ComponentStatus> = new Map(
  (["operational", "degraded", "partial_outage", "major_outage", "maintenance"] as const).flatMap((status) =>
    words[status].split(" ").map((word) => [unbroken(word), status] as const)
  )
)

export const statusOf = (value: unknown): ComponentStatus | null =>
  typeof value === "string" || typeof value === "boolean" || typeof value === "number"
    ? statuses.get(unbroken(String(value))) ?? null
    : null

const textOf = (value: unknown): string | null => (typeof value === "string" && value.trim() !== "" ? value.trim() : null)

type Item = Readonly<Record<string, unknown>>

/** The first of the named members that can be read. */
const firstOf = <A>(item: Item, names: ReadonlyArray<string>, read: (value: unknown) => A | null): A | null => {
  for (const name of names) {
    const found = read(item[name])
    if (found !== null) return found
  }
  return null
}

const firstStatus = (item: Item): ComponentStatus | null =>
  firstOf(item, ["status", "state", "health", "value", "indicator", "healthy", "up", "ok"], statusOf)

/** A health check may list several measurements under one name. */
const worst = ([first, ...others]: ReadonlyArray<ComponentStatus>): ComponentStatus | null =>
  first === undefined ? null : others.reduce(worse, first)

const entry = (key: string, names: ReadonlyArray<string>, status: ComponentStatus, message: string | null): ManifestEntry => ({
  key: key.slice(0, longestKey),
  names: [...new Set(names.map((name) => name.slice(0, longestKey)))],
  status,
  message: message === null ? null : message.slice(0, longestMessage)
})

const messageOf = (item: Item): string | null => firstOf(item, ["message", "output", "description", "reason", "error"], textOf)

/** An item of a list, such as a component of a Statuspage page: known by its key, id and name. */
const ofItem = (item: unknown): ReadonlyArray<ManifestEntry> => {
  if (!Predicate.isRecord(item)) return []
  const names = ["key", "slug", "id", "name"].map((name) => textOf(item[name])).filter((text) => text !== null)
  const [key] = names
  const status = firstStatus(item)
  return key === undefined || status === null ? [] : [entry(key, names, status, messageOf(item))]
}

/** A member of a map: `"api": "up"`, `"api": {"status": "up"}` or `"api": [{"status": "pass"}]`. */
const ofMember = ([key, value]: readonly [string, unknown]): ReadonlyArray<ManifestEntry> => {
  const plain = statusOf(value)
  if (plain !== null) return [entry(key, [key], plain, null)]
  if (Array.isArray(value)) {
    const items = value.slice(0, mostKeys).filter(Predicate.isRecord)
    const status = worst(items.map(firstStatus).filter((one) => one !== null))
    const bad = items.find((item) => firstStatus(item) === status)
    return status === null ? [] : [entry(key, [key], status, bad === undefined ? null : messageOf(bad))]
  }
  if (!Predicate.isRecord(value)) return []
  const status = firstStatus(value)
  const name = textOf(value["name"])
  return status === null ? [] : [entry(key, name === null ? [key] : [key, name], status, messageOf(value))]
}

/** The members that hold the parts of a document, the usual name first. */
const containers = ["components", "services", "checks", "details", "statuses", "status", "items", "monitors", "data", "results"]

const ofContainer = (value: unknown): ReadonlyArray<ManifestEntry> =>
  Array.isArray(value)
    ? value.slice(0, mostKeys).flatMap(ofItem)
    : Predicate.isRecord(value)
    ? Object.entries(value).slice(0, mostKeys).flatMap(ofMember)
    : []

/** The first container with something in it, together with the document's own status under the key `status`. */
const ofDocument = (root: unknown): ReadonlyArray<ManifestEntry> => {
  if (!Predicate.isRecord(root)) return ofContainer(root)
  const own = firstStatus(root)
  const whole = own === null ? [] : [entry("status", ["status"], own, messageOf(root))]
  for (const name of containers) {
    const parts = ofContainer(root[name])
    if (parts.length > 0) return [...parts, ...whole]
  }
  return ofContainer(root)
}

const sizeOf = ({ key, message, names }: ManifestEntry): number =>
  key.length + (message?.length ?? 0) + names.reduce((sum, name) => sum + name.length, 0)

const withinSize = (entries: ReadonlyArray<ManifestEntry>): ReadonlyArray<ManifestEntry> => {
  let left = mostCharacters
  return entries.filter((entry) => (left -= sizeOf(entry)) >= 0)
}

const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text.replace(/^\uFEFF/, "")))

/** The entries of a document, each key once; the left side says what is wrong with it. */
export const readManifest = (body: string): Either.Either<ReadonlyArray<ManifestEntry>, string> => {
  const parsed = parseJson(body)
  if (Option.isNone(parsed)) return Either.left("The manifest is not JSON")
  const seen = new Set<string>()
  const entries = ofDocument(parsed.value).filter(({ key }) => !seen.has(key) && seen.add(key) !== undefined)
  return entries.length === 0
    ? Either.left(
      "The manifest has no statuses; expected a list of components with name and status, or a map of keys to statuses"
    )
    : Either.right(withinSize(entries.slice(0, mostKeys)))
}

/** The entry that a component's key names: exactly, or else ignoring case. */
export const entryFor = (entries: ReadonlyArray<ManifestEntry>, key: string): ManifestEntry | null => {
  const wanted = key.trim().toLowerCase()
  return entries.find((one) => one.key === key || one.names.includes(key)) ??
    entries.find(({ names }) => names.some((name) => name.toLowerCase() === wanted)) ?? null
}
