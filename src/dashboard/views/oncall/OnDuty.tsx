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

export const choiceName = (member: OnCallMember): string =>
  `${personName(member)}${member.contact.email ? "" : " (cannot be paged)"}`

/** Until when, or that no end is in sight. */
const Until = ({ until }: Pick<CurrentOnCall, "until">) =>
  until === null ? null : (
    <>
      , until <Moment at={until} style="dated" />
    </>
  )

export const OnDuty = ({ current }: { readonly current: ReadonlyArray<CurrentOnCall> }) => (
  <ul class="rows">
    {current.map(({ override, scheduleId, scheduleName, until, user }) => (
      <li id={`now-${scheduleId}${user === null ? "" : `-${user.id}`}`}>
        <div>
          {user === null ? <Badge tone="bad">Nobody</Badge> : (
            <>
              <b>{personName(user)}</b> <NotPaged reachable={user.reachable} />
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
