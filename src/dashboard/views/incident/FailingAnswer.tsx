/** The failure, for the first look: the failing answer, the regions side by side, and latencies around the beginning. */
import { DateTime } from "effect"
import type { Check } from "../../../../schema/check/Check.ts"
import type { Deploy } from "../../../../schema/deploy/Deploy.ts"
import type { RegionView } from "../../../../schema/monitor/Explanation.ts"
import { briefCause } from "../../../domain/check/answer/BriefCause.ts"
import { around, medians } from "../../../domain/incident/AroundBeginning.ts"
import { failedPhase } from "../../../domain/monitor/ExplainMonitor.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { cut } from "../../../domain/tools/text/TrimText.ts"
import { Facts, inWords, ListPanel, Panel, TargetText } from "../../design/Parts.tsx"
import { Ago, Moment, useNumber } from "../../design/Time.tsx"
import { useVisit } from "../../frame/Visit.ts"
import { OutcomeBadge, outcomeTones } from "../monitor/CheckRows.tsx"
import { Screenshots } from "../monitor/EvidenceParts.tsx"
import { phaseNames } from "../monitor/Waterfall.tsx"

/** Characters of a body that are enough to recognize it. */
const bodyStart = 500

const textOf = ({ evidence }: Check): string | null => {
  const body = evidence?.body ?? null
  return body === null || body.trim() === "" ? null : cut(body, bodyStart)
}

export const FailingAnswer = ({ check }: { readonly check: Check }) => {
  const { millis } = useNumber()
  const phase = failedPhase(check)
  const body = textOf(check)
  return (
    <Panel
      id="answer"
      title="Failed check"
      actions={<a href={`/app/monitors/${check.monitorId}/checks/${check.id}`}>All evidence</a>}
    >
      <Facts
        of={[
          ["Cause", inWords(briefCause(check) ?? check.outcome)],
          ["Status", check.statusCode],
          ["Error", check.error === null ? null : <span class="breaks">{check.error}</span>],
          [
            "Failed in",
            phase === null ? null : `${phaseNames[phase]}${check.latencyMs === null ? "" : `, after ${millis(check.latencyMs)}`}`
          ],
          [
            "Checked",
            <>
              <Moment at={check.at} /> from {check.region}
            </>
          ]
        ]}
      />
      {body === null ? null : <TargetText label="Response body, first part">{body}</TargetText>}
      <Screenshots of={(check.evidence?.browser?.screenshots ?? []).slice(-1)} />
    </Panel>
  )
}

type SeenRegion = Pick<RegionView, "at" | "cause" | "outcome" | "region">

/** Side by side, those that fail first. */
export const Regions = ({ of, title }: { readonly of: ReadonlyArray<SeenRegion>; readonly title: string }) =>
  of.length === 0 ? null : (
    <section class="panel" aria-labelledby="regions-title" id="regions">
      <header>
        <h2 id="regions-title">{title}</h2>
      </header>
      <ul class="sides">
        {of.toSorted((one, other) => Number(one.outcome === "up") - Number(other.outcome === "up")).map((
          { at, cause, outcome, region }
        ) => (
          <li>
            <b class="breaks">{region}</b>
            <OutcomeBadge outcome={outcome} />
            <span class="note">
              {cause === null ? "" : `${briefCause({ cause, statusCode: null }) ?? ""}, `}
              <Ago at={at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )

/** Size of the SVG view box. */
const width = 600
const height = 90

export const LatencyAround = ({ checks, startedAt }: {
  /** Newest first. */
  readonly checks: ReadonlyArray<Check>
  readonly startedAt: DateTime.Utc
}) => {
  const { now } = useVisit()
  const { millis } = useNumber()
  const { from: minimum, to } = around(startedAt, now)
  const shown = checks.filter(({ at }) => DateTime.between(at, { minimum, maximum: to }))
  const oldest = shown.at(-1)
  if (oldest === undefined) return null
  const from = DateTime.min(oldest.at, startedAt)
  const { after, before, failed } = medians(shown, startedAt)
  const spanned = Math.max(1, DateTime.distance(from, to))
  const xOf = (at: DateTime.Utc) => (DateTime.distance(from, at) / spanned) * (width - 4)
  const most = Math.max(1, ...shown.map(({ latencyMs }) => latencyMs ?? 0))
  const measured = [
    ...(before === null ? [] : [`${millis(before)} before the start`]),
    ...(after === null ? [] : [`${millis(after)} after it`])
  ]
  const median = measured.length === 0 ? "" : `Median ${measured.join(", ")}. `
  const said = `${median}${counted(failed, "check")} failed since the start.`
  return (
    <Panel id="around" title="Latency around the start">
      <svg class="strip around" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={said}>
        {shown.map(({ at, id, latencyMs, outcome }) => {
          const tall = Math.max(4, ((latencyMs ?? most) / most) * height)
          return (
            <rect key={id} x={xOf(at)} y={height - tall} width="4" height={tall} class={`is-${outcomeTones[outcome]} mark`} />
          )
        })}
        <rect x={xOf(startedAt)} y="0" width="1.5" height={height} class="begin" />
      </svg>
      <p class="axis note">
        <Moment at={from} style="hour" />
        <Moment at={to} style="hour" />
      </p>
      <p class="note">
        {said} The line marks the start, <Moment at={startedAt} style="hour" />.
      </p>
    </Panel>
  )
}

const minutesBefore = (startedAt: DateTime.Utc, at: DateTime.Utc): string => {
  const minutes = Math.round(DateTime.distance(at, startedAt) / 60_000)
  return minutes > 0 ? `${minutes} min before` : minutes === 0 ? "at the start" : `${-minutes} min after`
}

/** Deploys around the beginning, newest first. */
export const DeploysNear = ({ deploys, startedAt }: {
  readonly deploys: ReadonlyArray<Deploy>
  readonly startedAt: DateTime.Utc
}) => (
  <ListPanel
    id="deploys"
    title="Recent deploys"
    none="None in the hour before the incident, or since."
    actions={<a href="/app/deploys">All deploys</a>}
  >
    {deploys.map(({ at, commit, environment, id, service, url, version }) => (
      <li id={`deploy-${id}`}>
        <div>
          {url === null
            ? <b class="breaks">{version ?? commit ?? "Deploy"}</b>
            : <a class="title breaks" href={url}>{version ?? commit ?? "Deploy"}</a>}
          <p class="note">{[service, environment].filter((part) => part !== null).join(", ")}</p>
        </div>
        <span class="note">
          <b>{minutesBefore(startedAt, at)}</b>, <Moment at={at} />
        </span>
      </li>
    ))}
  </ListPanel>
)
