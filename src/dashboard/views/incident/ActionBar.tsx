/**
 * What a person does about an open incident, in reach of the thumb on a phone: acknowledge, resolve, escalate, hand over, mute. It works
 * without a script.
 */
import type { ComponentChildren } from "preact"
import type { Incident } from "../../../../schema/incident/Incident.ts"
import type { OnCallMember } from "../../../../schema/oncall/Schedule.ts"
import type { IncidentPagings } from "../../../../schema/oncall/Way.ts"
import { levelWords } from "../../../domain/paging/WhatNext.ts"
import { CallForm, Field, Select, Submit } from "../../design/Form.tsx"
import { MarkdownArea } from "../../design/MarkdownArea.tsx"
import { useMay } from "../../design/May.tsx"
import { useVisit } from "../../frame/Visit.ts"
import { MuteMonitorForm } from "../maintenance/Mutes.tsx"
import type { MonitorDetail } from "../monitor/MonitorHead.tsx"
import { choiceName } from "../oncall/OnDuty.tsx"

interface ActionProps {
  readonly incident: Incident
  readonly pagings: IncidentPagings
  readonly members: ReadonlyArray<OnCallMember>
  readonly monitor: MonitorDetail | null
}

/** A button that opens a sheet: above it on a phone, below it elsewhere. One is open at a time. */
const Sheet = ({ children, id, label, look = "plain" }: {
  readonly id: string
  readonly label: string
  readonly look?: "" | "plain"
  readonly children: ComponentChildren
}) => (
  <details class={look === "" ? "first" : undefined} name="act" id={id}>
    <summary class={`button ${look}`}>{label}</summary>
    <div class="up panel">
      <div class="body">{children}</div>
    </div>
  </details>
)

const Acknowledge = ({ id }: Pick<Incident, "id">) => (
  <CallForm
    call="acknowledge_incident"
    id="acknowledge"
    fixed={{ id }}
    said="Incident acknowledged"
    undo={{ operation: "unacknowledge_incident", given: { id } }}
    class="first"
    copy={false}
  >
    <button>Acknowledge</button>
  </CallForm>
)

const Resolve = ({ incident: { acknowledgement, id } }: Pick<ActionProps, "incident">) => (
  <Sheet id="resolve-sheet" label="Resolve" look={acknowledgement === null ? "plain" : ""}>
    <CallForm call="resolve_incident" id="resolve" fixed={{ id }} said="Incident resolved">
      <MarkdownArea
        name="message"
        label="Last update"
        rows={3}
        hint="Visible to the public if the incident is. Leave it empty, and Belltower writes what recovered and how long it took."
      />
      <Submit>Resolve incident</Submit>
    </CallForm>
  </Sheet>
)

const mustAcknowledge = "This removes the current acknowledgement: the next person who is paged must acknowledge again."

const Escalate = ({ incident: { id }, pagings: { escalation } }: Pick<ActionProps, "incident" | "pagings">) => (
  <Sheet id="escalate-sheet" label="Escalate">
    {escalation === null
      ? <p>No escalation policy applies to this incident, so there is no next level. Hand it over to a person instead.</p>
      : (
        <CallForm call="escalate_incident" id="escalate" fixed={{ id }} said="The next level is paged now">
          <p>
            {escalation.next === null
              ? "Every level has been paged. This starts over at level 1."
              : `Pages ${levelWords(escalation.next)}, now.`}
          </p>
          <p class="note">{mustAcknowledge}</p>
          <Field name="note" label="Note for the team" attributes={{ maxlength: 1000 }} />
          <Submit>Escalate now</Submit>
        </CallForm>
      )}
  </Sheet>
)

const HandOver = ({ incident: { id }, members }: Pick<ActionProps, "incident" | "members">) => {
  const { person } = useVisit()
  const others = members.filter((one) => one.id !== person.user.id)
  return (
    <Sheet id="hand-over-sheet" label="Hand over">
      {others.length === 0 ?
        <p>You are the only member of this workspace.</p> :
        (
          <CallForm call="hand_over_incident" id="hand-over" fixed={{ id }} said="They are paged now">
            <Select
              name="userId"
              label="To"
              chosen
              options={[["", "Choose a person"], ...others.map((one) => [one.id, choiceName(one)] as const)]}
            />
            <p class="note">
              Pages them now by their own rules, and nobody else for 5 minutes. {mustAcknowledge}
            </p>
            <Field name="note" label="Note for the team" attributes={{ maxlength: 1000 }} />
            <Submit>Hand over</Submit>
          </CallForm>
        )}
    </Sheet>
  )
}

export const ActionBar = ({ incident, members, monitor, pagings }: ActionProps) => {
  const may = useMay("acknowledge_incident")
  if (!may || incident.resolvedAt !== null || incident.kind === "maintenance") return null
  return (
    <section class="acts" aria-label="What to do">
      {incident.acknowledgement === null ? <Acknowledge id={incident.id} /> : null}
      <Resolve incident={incident} />
      <Escalate incident={incident} pagings={pagings} />
      <HandOver incident={incident} members={members} />
      {monitor === null ? null : (
        <Sheet id="mute-sheet" label={monitor.muted === null ? "Mute" : "Muted"}>
          <MuteMonitorForm monitor={monitor} />
        </Sheet>
      )}
    </section>
  )
}
