/** The facts below an alert's text: a label and a value each. A fact without a value is left out. */
import type { EventData } from "../../../schema/event/EventData.ts"
import type { EventMonitor } from "../../../schema/event/MonitorEvents.ts"
import type { LikelyUpstream } from "../../../schema/upstream/Upstream.ts"
import { pushRegion } from "../monitor/job/Heartbeat.ts"

export const fact = (label: string, value: string | number | null | undefined) =>
  value === null || value === undefined || value === "" ? [] : [{ label, value: String(value) }]

export const titleCase = (word: string): string => (word.charAt(0).toUpperCase() + word.slice(1)).replaceAll("_", " ")

/** The target of a monitor of any kind: a URL or a host of its settings; null for one that reports by itself. */
export const targetOf = (monitor: EventMonitor): string | null => {
  const settings: Readonly<Record<string, unknown>> = monitor[monitor.kind] ?? {}
  const { host, port, url } = settings
  if (typeof url === "string") return url
  return typeof host !== "string" ? null : typeof port === "number" ? `${host}:${port}` : host
}

/** The check of an alert: its target, answer and region. */
export const checkFacts = ({ check, monitor }: Pick<EventData<"monitor.degraded">, "check" | "monitor">) => [
  ...fact("Target", targetOf(monitor)),
  ...fact("Status code", check.statusCode),
  ...fact("Response time", check.latencyMs === null ? null : `${check.latencyMs} ms`),
  ...fact("Region", check.region === pushRegion ? null : check.region)
]

/** The third party that probably caused it. */
export const upstreamFacts = ({ likelyUpstream: cause }: { readonly likelyUpstream?: LikelyUpstream | null }) =>
  cause === null || cause === undefined ? [] : fact("Likely upstream", `${cause.name}: ${cause.incident}`)
