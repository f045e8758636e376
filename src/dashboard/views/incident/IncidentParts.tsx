/** The parts of an incident's view: its timeline with the pages to people, and AI reports. */
import { DateTime } from "effect"
import type { ComponentChildren } from "preact"
import type { Incident, IncidentUpdate } from "../../../../schema/incident/Incident.ts"
import type { Paging } from "../../../../schema/oncall/Way.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { Markdown } from "../../../pages/html/Markdown.tsx"
import { CallButton } from "../../design/Form.tsx"
import { Badge, IncidentBadge, Panel, Tag } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import { useVisit } from "../../frame/Visit.ts"
import { pagedAt, PagingLine } from "./PagingLine.tsx"

/** A text in the dashboard, with the images that were uploaded for it. */
const Text = ({ of }: { readonly of: string }) => <Markdown text={of} heading={3} images={useVisit().baseUrl} />

const Update = ({ isPublic, of: { ai, at, body, id, public: open, status } }: {
  readonly of: IncidentUpdate
  readonly isPublic: boolean
}) => (
  <li id={id} class={open ? "public" : "internal"}>
    <p class="who">
      {open
        ? (
          <>
            <IncidentBadge status={status} />
            <Tag>{isPublic ? "Public" : "Update"}</Tag>
          </>
        )
        : <Badge tone="warn">Internal note</Badge>}
      {ai ? <Tag>written by AI</Tag> : null}
      <span class="note">
        <Moment at={at} />
      </span>
    </p>
    <Text of={body} />
  </li>
)

/** The filters of the timeline. */
const filters = [["updates", "Updates"], ["notes", "Internal notes"], ["pages", "Pages"]] as const
type Kind = (typeof filters)[number][0]

interface Entry {
  readonly at: DateTime.Utc
  readonly kind: Kind
  readonly line: ComponentChildren
}

/** Updates and pages, newest first. */
const entriesOf = ({ public: isPublic, updates }: Incident, pages: ReadonlyArray<Paging>): ReadonlyArray<Entry> =>
  [
    ...updates.map((of): Entry => ({
      at: of.at,
      kind: of.public ? "updates" : "notes",
      line: <Update of={of} isPublic={isPublic} />
    })),
    ...pages.flatMap((of): ReadonlyArray<Entry> => {
      const at = pagedAt(of)
      return at === null ? [] : [{ at, kind: "pages", line: <PagingLine of={of} /> }]
    })
  ].toSorted((one, other) => DateTime.toEpochMillis(other.at) - DateTime.toEpochMillis(one.at))

/** Links that narrow the timeline, each with what it holds. None if all entries are of one kind. */
const TimelineFilters = ({ entries, shown, url }: {
  readonly entries: ReadonlyArray<Entry>
  readonly shown: Kind | null
  readonly url: string
}) => {
  const counts = filters.map(([kind, name]) => [kind, name, entries.filter((one) => one.kind === kind).length] as const)
    .filter(([, , count]) => count > 0)
  return counts.length < 2 ? null : (
    <nav class="choose" aria-label="Show in the timeline">
      <a href={`${url}#timeline`} aria-current={shown === null ? "true" : undefined}>All</a>
      {counts.map(([kind, name, count]) => (
        <a href={`${url}?timeline=${kind}#timeline`} aria-current={kind === shown ? "true" : undefined}>
          {name} <span class="note">{count}</span>
        </a>
      ))}
    </nav>
  )
}

export const Timeline = ({ of, pages }: { readonly of: Incident; readonly pages: ReadonlyArray<Paging> }) => {
  const { query } = useVisit()
  const entries = entriesOf(of, pages)
  const asked = query.get("timeline")
  const shown = filters.find(([kind]) => kind === asked)?.[0] ?? null
  const lines = shown === null ? entries : entries.filter(({ kind }) => kind === shown)
  const unneeded = pages.filter(({ state }) => state === "not_needed").length
  return (
    <Panel
      id="timeline"
      title="Timeline"
      actions={<TimelineFilters entries={entries} shown={shown} url={`/app/incidents/${of.id}`} />}
    >
      {lines.length === 0 ?
        <p class="note">{entries.length === 0 ? "Nothing has been posted yet." : "Nothing of this kind yet."}</p> :
        <ol class="timeline">{lines.map(({ line }) => line)}</ol>}
      {unneeded === 0 ? null : <p class="note">{counted(unneeded, "planned page was", "planned pages were")} not needed.</p>}
    </Panel>
  )
}

const List = ({ of, title }: { readonly title: string; readonly of: ReadonlyArray<string> }) =>
  of.length === 0 ? null : (
    <>
      <h4>{title}</h4>
      <ul class="bulleted">{of.map((text) => <li>{text}</li>)}</ul>
    </>
  )

export const Reports = ({ of: { aiReports, id, kind } }: { readonly of: Incident }) => {
  const report = aiReports.at(-1)
  const { hasAi } = useVisit()
  if (kind === "maintenance" || (report === undefined && !hasAi)) return null
  return (
    <Panel id="reports" title="Analysis by AI">
      {report === undefined
        ? <p class="note">Reads the checks, deploys and updates, and suggests likely causes. Only your team sees it.</p>
        : (
          <>
            <p class="note">
              <Moment at={report.at} />, severity {report.severity}
            </p>
            <p class="letter" dir="auto">{report.analysis}</p>
            <List title="Likely causes" of={report.likelyCauses} />
            <List title="Suggested actions" of={report.suggestedActions} />
          </>
        )}
      {hasAi
        ? (
          <CallButton call="analyze_incident" id="analyze" fixed={{ id }} said="Analysis added" look="plain tight">
            {report === undefined ? "Analyze" : "Analyze again"}
          </CallButton>
        )
        : null}
    </Panel>
  )
}
