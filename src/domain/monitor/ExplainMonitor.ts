/** Explains the state of a monitor from its records. */
import { DateTime, Struct } from "effect"
import type { Cause, Check, Outcome, Timings } from "../../../schema/check/Check.ts"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { Deploy } from "../../../schema/deploy/Deploy.ts"
import { instant } from "../../../schema/Fields.ts"
import type { ExplainedCheck, MonitorExplanation, NearDeploy, Phase, RegionView } from "../../../schema/monitor/Explanation.ts"
import type { Monitor, MonitorState } from "../../../schema/monitor/Monitor.ts"
import type { Muted } from "../../../schema/mute/Mute.ts"
import type { LikelyUpstream } from "../../../schema/upstream/Upstream.ts"
import { briefCause } from "../check/answer/BriefCause.ts"
import { counted } from "../tools/text/Counted.ts"
import { durationText } from "../tools/time/Duration.ts"
import { momentText } from "../tools/time/Moments.ts"
import { checkChanges } from "./CheckChanges.ts"

interface ExplanationRecords {
  readonly monitor: Pick<Monitor, "id" | "state" | "stateSince" | "openIncidentId">
  /** The newest check of each region that still checks. */
  readonly latest: ReadonlyArray<Check>
  /** The check that explains the state, and the last good one before the state; with evidence if it was kept. */
  readonly check: Check | null
  readonly lastGood: Check | null
  /** Newest first. */
  readonly deploys: ReadonlyArray<Deploy>
  readonly upstreams: ReadonlyArray<{ readonly service: string; readonly component?: string }>
  /** The third party's incident that began around the same time. */
  readonly likelyUpstream: LikelyUpstream | null
  readonly muted: Muted | null
  /** The last time it was down or degraded before the state, if that is neither; ended. Null if there was none. */
  readonly lastTrouble: { readonly state: string; readonly startedAt: number; readonly endedAt: number } | null
  /** The workspace's, an IANA name, for times in the summary. */
  readonly timezone: string
}

/** The phase in which a check with this cause ends; null where that depends on how far it came, or if it got through all. */
const phaseOfCause: Partial<Record<Cause, Phase>> = {
  dns_error: "dns",
  dns_no_name: "dns",
  dns_no_record: "dns",
  dns_server_failed: "dns",
  dns_refused: "dns",
  dns_timeout: "dns",
  connect_refused: "connect",
  connect_timeout: "connect",
  connect_error: "connect",
  tls_error: "tls"
}

/** The phase in which a check ran out of time or its connection broke. */
const unfinished = (timings: Timings | null): Phase | null => {
  if (timings === null) return null
  if (timings.firstByteMs !== null) return "response"
  if (timings.tlsMs !== null || timings.connectMs !== null) return "first_byte"
  return timings.dnsMs !== null ? "connect" : "dns"
}

const breaksOff = new Set<Cause>(["timeout", "protocol_error", "body_too_large"])

export const failedPhase = ({ cause, timings }: Pick<Check, "cause" | "timings">): Phase | null =>
  cause === null ? null : phaseOfCause[cause] ?? (breaksOff.has(cause) ? unfinished(timings) : null)

/** The total minus the other phases is the rest of the response. */
export const slowestPhase = (timings: Timings | null): Phase | null => {
  if (timings === null) return null
  const { connectMs, dnsMs, firstByteMs, tlsMs, totalMs } = timings
  const known: ReadonlyArray<readonly [Phase, number | null]> = [
    ["dns", dnsMs],
    ["connect", connectMs],
    ["tls", tlsMs],
    ["first_byte", firstByteMs]
  ]
  const rest = totalMs - known.reduce((sum, [, ms]) => sum + (ms ?? 0), 0)
  const all: ReadonlyArray<readonly [Phase, number | null]> = [...known, ["response", Math.max(0, rest)]]
  const [slowest] = [...all].sort(([, one], [, other]) => (other ?? -1) - (one ?? -1))
  return (slowest?.[1] ?? 0) > 0 ? slowest?.[0] ?? null : null
}

/** The outcome in more than half of the regions; null if there is none. */
const majorityOf = (latest: ReadonlyArray<Check>): Outcome | null => {
  const counts = new Map<Outcome, number>()
  for (const { outcome } of latest) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  return [...counts].find(([, count]) => count * 2 > latest.length)?.[0] ?? null
}

const regionViews = (latest: ReadonlyArray<Check>): ReadonlyArray<RegionView> => {
  const majority = majorityOf(latest)
  return [...latest].sort((one, other) => (one.region < other.region ? -1 : 1)).map((check) => ({
    ...Struct.pick(check, "region", "at", "outcome", "cause"),
    checkId: check.id,
    disagrees: majority !== null && check.outcome !== majority
  }))
}

const explainedCheck = (check: Check): ExplainedCheck =>
  Struct.pick(check, "id", "at", "region", "outcome", "cause", "statusCode", "latencyMs", "error", "timings")

const nearDeploy = (deploy: Deploy, since: DateTime.Utc): NearDeploy => ({
  ...Struct.pick(deploy, "id", "version", "service", "environment", "at"),
  minutesBefore: Math.floor((DateTime.toEpochMillis(since) - DateTime.toEpochMillis(deploy.at)) / 60_000)
})

const regionWords = (regions: ReadonlyArray<RegionView>, outcome: Outcome): string => {
  if (regions.length < 2) return ""
  const same = regions.filter((view) => view.outcome === outcome).length
  const others = regions.filter(({ disagrees }) => disagrees).map(({ region }) => region)
  return ` in ${same} of ${regions.length} regions` +
    (others.length === 0 ? "" : `; ${others.join(", ")} disagree${others.length === 1 ? "s" : ""}`)
}

const ago = (minutes: number): string => minutes === 0 ? "less than a minute" : counted(minutes, "minute")

const deployWords = ([newest]: ReadonlyArray<NearDeploy>): string =>
  newest === undefined ? "" : ` A deploy came ${ago(newest.minutesBefore)} before.`

const upstreamWords = (cause: LikelyUpstream | null, timezone: string): string =>
  cause === null
    ? ""
    : ` The likely cause is upstream: ${cause.name} has an incident that began on ${momentText(cause.startedAt, timezone)}.`

const troubleWords = (trouble: ExplanationRecords["lastTrouble"], timezone: string): string =>
  trouble === null
    ? ""
    : ` It was last ${trouble.state} for ${
      durationText(Math.max(1, Math.round((trouble.endedAt - trouble.startedAt) / 1000)))
    }, ` +
      `until ${momentText(instant(trouble.endedAt), timezone)}.`

const mutedWords = (muted: Muted | null, timezone: string): string =>
  muted === null
    ? ""
    : ` Its alerts wait until ${momentText(muted.until, timezone)}, because it is ${
      muted.incidentId === null ? "muted" : "in maintenance"
    }.`

const newestFirst = (checks: ReadonlyArray<Check>): ReadonlyArray<Check> =>
  [...checks].sort((one, other) => DateTime.Order(other.at, one.at))

/** Describes a check that differs from the state, which thresholds, confirmations and other regions decide too. */
const differs = (check: Check, state: MonitorState, regions: ReadonlyArray<RegionView>): string => {
  const cause = briefCause(check)
  const where = regions.length < 2 ? "" : ` from ${check.region}`
  const what = check.outcome === "down" ? "failed" : check.outcome === "degraded" ? "was degraded" : "was good"
  const said = ` The last check${where} ${what}${cause === null ? "" : `: ${cause}`}${regionWords(regions, check.outcome)}.`
  return state === "paused" ? said : `${said} It does not change the state alone.`
}

/** In our own words: nothing that a target or a person wrote. Names of third parties are the catalogue's. */
const summaryOf = (
  { check, latest, likelyUpstream, monitor: { state, stateSince }, timezone }: ExplanationRecords,
  regions: ReadonlyArray<RegionView>,
  deploys: ReadonlyArray<NearDeploy>,
  failed: Phase | null
): string => {
  const start = `${state.charAt(0).toUpperCase()}${state.slice(1)} since ${momentText(stateSince, timezone)}`
  const upstream = upstreamWords(likelyUpstream, timezone)
  if (check === null) return `${start}. No check is stored that could explain it.${upstream}`
  const cause = briefCause(check)
  if (cause === null) return `${start}.${upstream}`
  const phase = failed === null ? "" : ` The check failed in the phase ${failed}.`
  if (check.outcome !== state) return `${start}.${differs(check, state, regions)}${phase}${upstream}`
  // While it recovers, no region sees it any more.
  const [newest] = regions.some(({ outcome }) => outcome === check.outcome) ? [] : newestFirst(latest)
  const since = newest === undefined ? "" : differs(newest, state, regions)
  const where = newest === undefined ? regionWords(regions, check.outcome) : ""
  return `${start}: ${cause}${where}.${phase}${since}${upstream}${deployWords(deploys)}`
}

export const explainMonitor = (records: ExplanationRecords): MonitorExplanation => {
  const { check, deploys, lastGood, latest, likelyUpstream, monitor, muted, timezone, upstreams } = records
  const regions = regionViews(latest)
  const near = deploys.map((deploy) => nearDeploy(deploy, monitor.stateSince))
  const failed = check === null ? null : failedPhase(check)
  return {
    monitorId: monitor.id,
    state: monitor.state,
    since: monitor.stateSince,
    openIncidentId: monitor.openIncidentId,
    summary: `${summaryOf(records, regions, near, failed)}${troubleWords(records.lastTrouble, timezone)}${
      mutedWords(muted, timezone)
    }`,
    check: check === null ? null : explainedCheck(check),
    failedPhase: failed,
    slowestPhase: slowestPhase(check?.timings ?? null),
    regions,
    lastGood: lastGood === null ? null : explainedCheck(lastGood),
    changes: check === null || lastGood === null ? [] : checkChanges(lastGood, check),
    deploys: near,
    muted,
    upstreams: upstreams.map(({ component, service }) => (component === undefined ? service : `${service}/${component}`)),
    likelyUpstream
  }
}

/** The newest check of each of these regions; `checks` come newest first. */
export const latestByRegion = (checks: ReadonlyArray<Check>, regions: ReadonlyArray<RegionId>): ReadonlyArray<Check> =>
  regions.flatMap((region) => checks.find((check) => check.region === region && check.counted) ?? [])

/** The check to report beside a state that no check explains: the newest that failed in some region, else the newest. */
export const besideState = (latest: ReadonlyArray<Check>): ReadonlyArray<Check> => {
  const sorted = newestFirst(latest)
  const shown = sorted.find(({ outcome }) => outcome !== "up") ?? sorted[0]
  return shown === undefined ? [] : [shown]
}
