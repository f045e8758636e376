/** Writes the record of `monitorRecord` as JSON, for lists of thousands: JSON of the database is copied, not read. */
import { Struct } from "effect"
import { recordSettings, type Target } from "../../../schema/monitor/kinds.ts"
import type { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import { maskedTarget } from "./kinds.ts"
import { type RecordFacts, unsetSettings } from "./MonitorRecord.ts"
import type { View } from "./settings/MaskedSettings.ts"

/** A monitor's identity, and its settings beside its target and its kind. */
export const settingFields = [
  "id",
  "name",
  "description",
  "intervalSec",
  "timeoutMs",
  "failureThreshold",
  "recoveryThreshold",
  "confirmAfterSec",
  "failureRate",
  "channelIds",
  "reminderMinutes",
  "dependsOn",
  "urgency",
  "ai",
  "tags",
  "paused",
  "regions"
] as const

/** The fields of a record that are shown as they are stored. */
export const storedFields = [
  ...settingFields,
  "state",
  "stateSince",
  "lastCheck",
  "openIncidentId",
  "createdAt",
  "updatedAt"
] as const

interface WrittenSource {
  /** An object of JSON with `storedFields`, without its last brace. */
  readonly stored: string
  /** Null if `stored` has its settings too. */
  readonly target: Target | null
}

const settingNames = Struct.keys(recordSettings)
const inRecord: ReadonlySet<string> = new Set(["kind", ...settingNames])

/** The settings that a target with these fields lacks, with a comma before each; null if a record does not show all of its fields. */
const lacking = (kind: MonitorKind, fields: ReadonlyArray<string>): string | null =>
  fields.some((name) => !inRecord.has(name))
    ? null
    : settingNames.filter((name) => !fields.includes(name))
      .map((name) => `,"${name}":${JSON.stringify(unsetSettings[kind][name])}`).join("")

/** By the kind and the names of the fields. They are few: a kind has some sets of fields. */
const known = new Map<string, string | null>()
const mostKnown = 1000

const lackingIn = (target: Target): string | null => {
  const fields = Object.keys(target)
  const key = `${target.kind}:${fields.join()}`
  const before = known.get(key)
  if (before !== undefined) return before
  const found = lacking(target.kind, fields)
  if (known.size >= mostKnown) known.clear()
  known.set(key, found)
  return found
}

/** The fields of the record that depend on the kind, and the kind. */
const settingsText = (target: Target): string => {
  const rest = lackingIn(target)
  if (rest !== null) return JSON.stringify(target).slice(1, -1) + rest
  const shown = Object.fromEntries(Object.entries(target).filter(([name]) => inRecord.has(name)))
  return JSON.stringify(shown).slice(1, -1) + (lacking(target.kind, Object.keys(shown)) ?? "")
}

/** The record as JSON. The order of its fields differs from that of `monitorRecord`. */
export const monitorRecordText = (
  view: View,
  { stored, target }: WrittenSource,
  { late, muted, nextExpectedAt, secrets: { body, clientKey, clientSecret, headers }, uptime, urls: { dashboard, ping } }:
    RecordFacts<
      string
    >
): string => {
  const pingUrl = view === "writer" ? ping : null
  const failUrl = pingUrl === null ? null : `${pingUrl}/fail`
  const rest = JSON.stringify({
    headers,
    body,
    clientKey,
    clientSecret,
    pingUrl,
    failUrl,
    muted,
    late,
    nextExpectedAt,
    uptime,
    dashboardUrl: dashboard
  })
  const settings = target === null ? "" : `,${settingsText(view === "writer" ? target : maskedTarget(target))}`
  return `${stored}${settings},${rest.slice(1)}`
}
