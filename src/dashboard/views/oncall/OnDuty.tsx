/** People on call as the views name them, and the list of those who are now. */
import type { CurrentOnCall, OnCallMember, OnCallPerson } from "../../../../schema/oncall/Schedule.ts"
import { Badge } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"

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

/** `isPast`: at a time that has passed, for which it does not matter whether pages reach a person now. */
export const OnDuty = ({ current, isPast = false }: {
  readonly current: ReadonlyArray<CurrentOnCall>
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
      </li>
    ))}
  </ul>
)
