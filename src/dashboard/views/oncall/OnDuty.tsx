/** People on call as the views name them, and the list of those who are now. */
import { DateTime } from "effect"
import type { CurrentOnCall, OnCallMember, OnCallPerson } from "../../../../schema/oncall/Schedule.ts"
import { CallButton } from "../../design/Form.tsx"
import { Badge } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import { useVisit } from "../../frame/Visit.ts"

export const personName = ({ email, name }: Pick<OnCallPerson, "email" | "name">): string => name ?? email ?? "Someone who left"

export const NotPaged = ({ reachable }: Pick<OnCallPerson, "reachable">) =>
  reachable ? null : <Badge tone="warn">Cannot be paged</Badge>

/** A schedule's or policy's warnings about people who cannot be paged. */
export const PagingWarnings = ({ of }: { readonly of: ReadonlyArray<string> }) =>
  of.length === 0 ? null : <ul class="wrong">{of.map((warning) => <li>{warning}</li>)}</ul>

/** Whether a page reaches the member by any way. */
export const isPaged = ({ contact: { ways } }: OnCallMember): boolean => ways.length > 0

export const choiceName = (member: OnCallMember): string => `${personName(member)}${isPaged(member) ? "" : " (cannot be paged)"}`

/** Until when, or that no end is in sight. */
const Until = ({ until }: Pick<CurrentOnCall, "until">) =>
  until === null ? null : (
    <>
      , until <Moment at={until} style="dated" />
    </>
  )

/** Puts the caller there, from now to the end of the shift. */
const TakeOver = ({ at, of: { scheduleId, scheduleName, until, user } }: {
  /** Its place in the list. */
  readonly at: number
  readonly of: Pick<CurrentOnCall, "scheduleId" | "scheduleName" | "until" | "user">
}) => {
  const { now, person } = useVisit()
  return user === null || until === null || user.id === person.user.id ? null : (
    <CallButton
      call="create_oncall_override"
      id={`take-over-${at}`}
      fixed={{
        id: scheduleId,
        userId: person.user.id,
        insteadOf: user.id,
        start: DateTime.formatIso(now),
        end: DateTime.formatIso(until)
      }}
      said="You are on call"
      look="plain tight"
    >
      Take over<span class="sr">{" "}from {personName(user)}, {scheduleName}</span>
    </CallButton>
  )
}

/**
 * `isNow`: not at another time, which nobody can take over. `isPast`: at a time that has passed, for which it does not matter whether pages
 * reach a person now.
 */
export const OnDuty = ({ current, isNow = false, isPast = false }: {
  readonly current: ReadonlyArray<CurrentOnCall>
  readonly isNow?: boolean
  readonly isPast?: boolean
}) => (
  <ul class="rows">
    {current.map(({ override, scheduleId, scheduleName, until, user }, at) => (
      <li id={`now-${scheduleId}${user === null ? "" : `-${user.id}`}`}>
        <div>
          {user === null ? <Badge tone="bad">Nobody</Badge> : (
            <>
              <b>{personName(user)}</b> <NotPaged reachable={isPast || user.reachable} />
            </>
          )}
          <p class="note">
            <a href={`/app/on-call/${scheduleId}`}>{scheduleName}</a>
            <Until until={until} />
          </p>
        </div>
        {override ? <Badge tone="calm">Override</Badge> : null}
        {isNow ? <TakeOver at={at} of={{ scheduleId, scheduleName, until, user }} /> : null}
      </li>
    ))}
  </ul>
)
