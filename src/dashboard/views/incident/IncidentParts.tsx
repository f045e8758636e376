/** The parts of an incident's view: its acknowledgement, its timeline, and AI reports. */
import type { Incident, IncidentUpdate } from "../../../../schema/incident/Incident.ts"
import { Markdown } from "../../../pages/html/Markdown.tsx"
import { CallButton, CallForm, Field } from "../../design/Form.tsx"
import { Badge, IncidentBadge, Panel, Tag } from "../../design/Parts.tsx"
import { Ago, Moment } from "../../design/Time.tsx"
import { useVisit } from "../../frame/Visit.ts"

export const Acknowledge = ({ of: { acknowledgement, id, kind, resolvedAt } }: { readonly of: Incident }) => {
  if (resolvedAt !== null || kind === "maintenance") return null
  if (acknowledgement !== null) {
    return (
      <div class="banner is-calm" role="status">
        <div>
          <h2>Acknowledged by {acknowledgement.by}</h2>
          <p class="note">
            <Ago at={acknowledgement.at} />. Reminders and escalation have stopped.
            {acknowledgement.note === undefined ? "" : ` "${acknowledgement.note}"`}
          </p>
        </div>
        <CallButton
          call="unacknowledge_incident"
          id="unacknowledge"
          fixed={{ id }}
          said="Acknowledgement removed. Reminders and escalation go on."
        >
          Remove acknowledgement
        </CallButton>
      </div>
    )
  }
  return (
    <section class="take" aria-label="Acknowledge">
      <div>
        <h2>Nobody has acknowledged this</h2>
        <p class="note">Acknowledging stops reminders and escalation. Visitors do not see it.</p>
      </div>
      <CallForm
        call="acknowledge_incident"
        id="acknowledge"
        fixed={{ id }}
        said="Incident acknowledged"
        undo={{ operation: "unacknowledge_incident", given: { id } }}
        class=""
        copy={false}
      >
        <button>Acknowledge</button>
        <details class="more">
          <summary>Add a note for the team</summary>
          <Field name="note" label="Note" attributes={{ maxlength: 1000 }} />
        </details>
      </CallForm>
    </section>
  )
}

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
    <Markdown text={body} heading={3} />
  </li>
)

export const Timeline = ({ of }: { readonly of: Incident }) => (
  <Panel id="timeline" title="Timeline">
    {of.updates.length === 0 ? <p class="note">Nothing was posted yet.</p> : (
      <ol class="timeline">
        {of.updates.toReversed().map((update) => <Update of={update} isPublic={of.public} />)}
      </ol>
    )}
  </Panel>
)

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
        ? <p class="note">Reads the checks, the deploys and the updates, and names likely causes. Only the team sees it.</p>
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
