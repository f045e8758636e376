/** The updates of an incident, newest first. Internal notes look nothing like public updates. */
import type { Incident, IncidentUpdate } from "../../../../schema/incident/Incident.ts"
import { Badge, IncidentBadge, Panel, Tag } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"

const Update = ({ isPublic, of: { ai, at, body, id, public: open, status } }: {
  readonly of: IncidentUpdate
  /** Whether a page shows the incident at all. */
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
    <p class="letter">{body}</p>
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
