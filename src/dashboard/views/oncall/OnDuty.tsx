/** People on call as the views name them, and the list of those who are now. */
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
const TakeOver = ({ scheduleId, scheduleName, user }: Pick<CurrentOnCall, "scheduleId" | "scheduleName" | "user">) => {
  const { person } = useVisit()
  return user === null || user.id === person.user.id ? null : (
    <CallButton
      call="create_oncall_override"
      id={`take-${scheduleId}-${user.id}`}
      fixed={{ id: scheduleId, userId: person.user.id, insteadOf: user.id }}
      said="You are on call"
      look="plain tight"
    >
      Take over<span class="sr">{" "}from {personName(user)}, {scheduleName}</span>
    </CallButton>
  )
}

/** `isNow`: not at another time, which nobody can take over. `isPast`: at a time that has passed, for which it does not matter whether pages reach a person now. */
export const OnDuty = ({ current, isNow = false, isPast = false }: {
  readonly current: ReadonlyArray<CurrentOnCall>
  readonly isNow?: boolean
  readonly isPast?: boolean
}) => (
  <ul class="rows">
    {current.map(({ override, scheduleId, scheduleName, until, user }) => (
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
        {isNow ? <TakeOver scheduleId={scheduleId} scheduleName={scheduleName} user={user} /> : null}
      </li>
    ))}
  </ul>
)
