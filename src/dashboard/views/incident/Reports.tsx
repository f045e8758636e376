/** AI reports on an incident, for the team only. */
import type { Incident } from "../../../../schema/incident/Incident.ts"
import { CallButton } from "../../design/Form.tsx"
import { Panel } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import { useVisit } from "../../frame/Visit.ts"

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
            <p class="letter">{report.analysis}</p>
            <List title="Likely causes" of={report.likelyCauses} />
            <List title="Suggested actions" of={report.suggestedActions} />
          </>
        )}
      {hasAi
        ? (
          <CallButton
            call="analyze_incident"
            id="analyze"
            fixed={{ id }}
            then={`/app/incidents/${id}`}
            said="Analysis added"
            look="plain tight"
          >
            {report === undefined ? "Analyze" : "Analyze again"}
          </CallButton>
        )
        : null}
    </Panel>
  )
}
