/** People on call as the views name them, and the list of those who are now. */
import type { CurrentOnCall, OnCallPerson } from "../../../../schema/oncall/Schedule.ts"
import { Badge } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"

export const personName = ({ email, name }: Pick<OnCallPerson, "email" | "name">): string => name ?? email ?? "Someone who left"

export const OnDuty = ({ current }: { readonly current: ReadonlyArray<CurrentOnCall> }) => (
  <ul class="rows">
    {current.map(({ override, scheduleId, scheduleName, until, user }) => (
      <li id={`now-${scheduleId}`}>
        <div>
          <b>{personName(user)}</b>
          <p class="note">
            <a href={`/app/on-call/${scheduleId}`}>{scheduleName}</a>, until <Moment at={until} />
          </p>
        </div>
        {override ? <Badge tone="calm">Override</Badge> : null}
      </li>
    ))}
  </ul>
)
