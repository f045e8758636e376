/** The facts of an incident in a prompt: our own in plain sentences, and texts that others wrote as data. */
import { DateTime } from "effect"
import type { Check, Evidence } from "../../../schema/check/Check.ts"
import type { Deploy } from "../../../schema/deploy/Deploy.ts"
import type { EventMonitor } from "../../../schema/event/MonitorEvents.ts"
import type { Incident } from "../../../schema/incident/Incident.ts"
import { durationText, secondsBetween } from "../tools/time/Duration.ts"
import type { Datum } from "./UntrustedData.ts"

export type ReportedCheck =
  & Pick<Check, "at" | "cause" | "statusCode" | "latencyMs" | "error">
  & Partial<Pick<Check, "timings" | "evidence">>
  & { readonly region: string }

/** The records behind a report. */
export interface IncidentFacts {
  readonly incident: Incident
  /** The names of the components that customers know. */
  readonly components: ReadonlyArray<string>
  readonly monitor: EventMonitor | null
  /** The check that shows the failure best, and the last good one before it. */
  readonly failing: ReportedCheck | null
  readonly lastGood: ReportedCheck | null
  /** Around the beginning, newest first. */
  readonly deploys: ReadonlyArray<Deploy>
  readonly now: DateTime.Utc
}

const iso = DateTime.formatIso

const mostUpdates = 20
const mostDeploys = 5

/** Headers that say something about a failure and hold no credential. */
const tellingHeaders = ["content-type", "server", "via", "retry-after", "cf-ray", "x-cache"]

const known = (label: string, value: string | number | null | undefined): ReadonlyArray<string> =>
  value === null || value === undefined || value === "" ? [] : [`${label} ${value}`]

const checkFact = (what: string, check: ReportedCheck | null): ReadonlyArray<string> => {
  if (check === null) return []
  const { at, cause, latencyMs, region, statusCode, timings } = check
  const facts = [
    `${what} at ${iso(at)} from region ${region}`,
    ...known("cause code", cause),
    ...known("status code", statusCode),
    ...known("response time in ms", latencyMs),
    ...(timings === null || timings === undefined
      ? []
      : [
        ...known("DNS ms", timings.dnsMs),
        ...known("connect ms", timings.connectMs),
        ...known("TLS ms", timings.tlsMs),
        ...known("first byte ms", timings.firstByteMs)
      ])
  ]
  return [`${facts.join(", ")}.`]
}

/** The third party is named by the catalogue of the operator, and its state is one of our words. */
const upstreamFact = ({ likelyUpstream: cause }: Incident): ReadonlyArray<string> =>
  cause === null || cause === undefined ? [] : [
    `Fact: ${cause.name}, a third party that the team depends on, has published an incident that began around the same time ` +
    `(${iso(cause.startedAt)}). The likely cause is upstream. Say so.`
  ]

const timeFact = ({ incident: { acknowledgement, resolvedAt, startedAt }, now }: IncidentFacts): string => {
  const lasted = durationText(secondsBetween(startedAt.epochMillis, (resolvedAt ?? now).epochMillis))
  const ended = resolvedAt === null ? `It is open since ${lasted}.` : `It was resolved at ${iso(resolvedAt)}, after ${lasted}.`
  return `It began at ${iso(startedAt)}. ${ended} ${acknowledgement === null ? "Nobody has" : "Somebody has"} acknowledged it.`
}

export const factLines = (facts: IncidentFacts): ReadonlyArray<string> => {
  const { failing, incident, lastGood, monitor } = facts
  const opener = incident.automatic ? "by monitoring" : "by a person"
  return [
    `${
      incident.kind === "incident" ? "An incident" : "A maintenance window"
    }, opened ${opener}, with the status ${incident.status} and the impact ${incident.impact}.`,
    timeFact(facts),
    ...(monitor === null ? [] : [`It concerns a monitor of the kind ${monitor.kind}, which is now ${monitor.state}.`]),
    ...checkFact("The failing check was", failing),
    ...checkFact("The last good check was", lastGood),
    ...upstreamFact(incident)
  ]
}

/** A text of others; none if it is missing. */
const datum = (name: string, text: string | null | undefined, most: number): ReadonlyArray<Datum> =>
  text === null || text === undefined ? [] : [{ name, text, most }]

const data = (name: string, lines: ReadonlyArray<string>, most: number): ReadonlyArray<Datum> =>
  datum(name, lines.length === 0 ? null : lines.join("\n"), most)

const evidenceData = (evidence: Evidence | null | undefined): ReadonlyArray<Datum> => {
  if (evidence === null || evidence === undefined) return []
  const headers = Object.entries(evidence.responseHeaders).filter(([name]) => tellingHeaders.includes(name.toLowerCase()))
  const { assertions, body, dns, redirects, request, script } = evidence
  return [
    ...datum("request", `${request.method} ${request.url}`, 500),
    ...data("response headers", headers.map((pair) => pair.join(": ")), 800),
    ...data("redirects", redirects.map((one) => `${one.statusCode} ${one.url}`), 1_000),
    ...assertions.filter(({ passed }) => !passed).slice(0, 5).flatMap(({ message }) => datum("failed assertion", message, 400)),
    ...datum("DNS response code", dns?.rcode, 40),
    ...datum("script log", script?.logs.slice(-20).map(({ text }) => text).join("\n"), 2_000),
    ...datum("response body", body, 4_000)
  ]
}

const deployData = ({ at, description, environment, service, version }: Deploy): Datum => ({
  name: "deploy",
  text: [iso(at), service, version, environment, description].filter((part) => part !== null && part !== "").join(" "),
  most: 400
})

/** Texts of others, the most useful first: what does not fit is left out. */
export const factData = ({ components, deploys, failing, incident, lastGood, monitor }: IncidentFacts): ReadonlyArray<Datum> => [
  ...datum("title", incident.title, 300),
  ...datum("monitor", monitor === null ? null : JSON.stringify(monitor), 2_000),
  ...datum("components", components.length === 0 ? null : components.join(", "), 1_000),
  ...datum("error", failing?.error, 1_000),
  ...datum("title of the third party's incident", incident.likelyUpstream?.incident, 300),
  ...deploys.slice(0, mostDeploys).map(deployData),
  ...incident.updates.slice(-mostUpdates).map((update) => ({
    name: `${update.public ? "public update" : "internal note"} at ${iso(update.at)} (${update.status})`,
    text: update.body,
    most: 1_000
  })),
  ...evidenceData(failing?.evidence),
  ...datum("response body of the last good check", lastGood?.evidence?.body, 1_000)
]
