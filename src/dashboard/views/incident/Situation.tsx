/** The head of an incident's view: what is broken and since when, who has taken it, and who is paged next. */
import { DateTime } from "effect"
import type { Incident } from "../../../../schema/incident/Incident.ts"
import type { MonitorExplanation } from "../../../../schema/monitor/Explanation.ts"
import type { IncidentPagings } from "../../../../schema/oncall/Way.ts"
import { briefCause } from "../../../domain/check/answer/BriefCause.ts"
import { type Coming, nothingNext, whatNext } from "../../../domain/paging/WhatNext.ts"
import { CallButton, CallForm, Field } from "../../design/Form.tsx"
import { useMay } from "../../design/May.tsx"
import { inWords, type Tone } from "../../design/Parts.tsx"
import { Ago, Moment, useNumber } from "../../design/Time.tsx"
import { useVisit } from "../../frame/Visit.ts"

interface SituationProps {
  readonly incident: Incident
  readonly explanation: MonitorExplanation | null
  readonly pagings: IncidentPagings
}

/** `503 Service Unavailable in 2 of 3 regions`, without a cause that the title has; empty if nothing is left to say. */
const wrong = ({ check, regions, state }: MonitorExplanation, title: string): string => {
  const failing = regions.filter(({ outcome }) => outcome !== "up").length
  const cause = (check === null || check.outcome === "up" ? null : briefCause(check)) ?? state
  const where = regions.length < 2 || failing === 0 ? "" : ` in ${failing} of ${regions.length} regions`
  return title.includes(cause) ? where === "" ? "" : `Fails${where}` : `${inWords(cause)}${where}`
}

const textOf = (explanation: MonitorExplanation | null, { impact, title }: Incident): string =>
  explanation === null
    ? `Impact ${impact}`
    : explanation.state === "up"
    ? "The monitor is up again"
    : wrong(explanation, title)

const What = ({ explanation, incident }: Omit<SituationProps, "pagings">) => {
  const { likelyUpstream, startedAt } = incident
  const text = textOf(explanation, incident)
  return (
    <>
      <p class="what">
        {text === "" ? "Since " : `${text}, since `}
        <Moment at={startedAt} />
      </p>
      {likelyUpstream === null ? null : (
        <p>
          Likely because of <a href={`/status/${likelyUpstream.service}`}>{likelyUpstream.name}</a>
        </p>
      )}
    </>
  )
}

/** A step whose time has come is on its way. */
const When = ({ at }: Pick<Coming, "at">) => {
  const { now } = useVisit()
  return DateTime.greaterThan(at, now) ? <Ago at={at} /> : <>now</>
}

const Next = ({ explanation, pagings }: Omit<SituationProps, "incident">) => {
  const [first, second] = whatNext(pagings)
  const muted = explanation?.muted ?? null
  if (pagings.pagesWait) {
    return muted === null ?
      <p class="note">Nobody is paged while a monitor that this one depends on is down.</p> :
      (
        <p class="note">
          Muted until <Moment at={muted.until} />. Nobody is paged until then.
        </p>
      )
  }
  if (first === undefined) return <p class="note">{nothingNext(pagings)}</p>
  return (
    <p>
      Next: <b>{first.text}</b> <When at={first.at} />
      {second === undefined ? null : (
        <span class="note">
          {", then "}
          {second.text} <When at={second.at} />
        </span>
      )}
    </p>
  )
}

const WithNote = ({ id }: Pick<Incident, "id">) =>
  useMay("acknowledge_incident")
    ? (
      <details class="more">
        <summary>Acknowledge with a note</summary>
        <CallForm
          call="acknowledge_incident"
          id="acknowledge-note"
          fixed={{ id }}
          said="Incident acknowledged"
          undo={{ operation: "unacknowledge_incident", given: { id } }}
          class="inline"
          copy={false}
        >
          <Field name="note" label="Note for the team" attributes={{ maxlength: 1000 }} />
          <button class="plain">Acknowledge</button>
        </CallForm>
      </details>
    )
    : null

const Taken = ({ by: { at, by, note }, id }: {
  readonly by: NonNullable<Incident["acknowledgement"]>
  readonly id: Incident["id"]
}) => (
  <>
    <h2 class="breaks">Acknowledged by {by}</h2>
    <p class="note">
      <Ago at={at} />. Reminders and escalation have stopped.
      {note === undefined ? "" : ` "${note}"`}
    </p>
    <CallButton
      call="unacknowledge_incident"
      id="unacknowledge"
      fixed={{ id }}
      said="Acknowledgement removed. Reminders and escalation resume."
      look="plain tight"
    >
      Remove acknowledgement
    </CallButton>
  </>
)

const Ended = ({ incident: { resolvedAt, startedAt } }: Pick<SituationProps, "incident">) => {
  const { between } = useNumber()
  return resolvedAt === null ? null : (
    <>
      <h2>Resolved after {between(startedAt, resolvedAt)}</h2>
      <p>
        From <Moment at={startedAt} /> to <Moment at={resolvedAt} />
      </p>
    </>
  )
}

const toneOf = ({ acknowledgement, resolvedAt }: Incident): Tone =>
  resolvedAt !== null ? "good" : acknowledgement === null ? "bad" : "calm"

/** How often the view of an open incident is read again, ms: what becomes of a page is no event. */
const every = 15_000

export const Situation = ({ explanation, incident, pagings }: SituationProps) => (
  <section
    class={`situation banner is-${toneOf(incident)}`}
    aria-label="Situation"
    data-poll={incident.resolvedAt === null ? every : undefined}
  >
    <div>
      {incident.resolvedAt !== null ? <Ended incident={incident} /> : (
        <>
          <What explanation={explanation} incident={incident} />
          {incident.acknowledgement === null
            ? (
              <>
                <h2>Nobody has acknowledged this</h2>
                <Next explanation={explanation} pagings={pagings} />
                <WithNote id={incident.id} />
              </>
            )
            : <Taken by={incident.acknowledgement} id={incident.id} />}
        </>
      )}
    </div>
  </section>
)
