/** The next shifts of a schedule, each to be taken over or swapped with one click. */
import { DateTime } from "effect"
import type { OnCallMember, OnCallShift, Schedule } from "../../../../schema/oncall/Schedule.ts"
import { CallButton } from "../../design/Form.tsx"
import { Badge, ListPanel } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import { useVisit } from "../../frame/Visit.ts"
import { NotPaged, personName } from "./OnDuty.tsx"

/** Shifts that are shown. */
const most = 8

const isApart = (one: OnCallShift, other: OnCallShift): boolean =>
  DateTime.lessThanOrEqualTo(one.end, other.start) || DateTime.lessThanOrEqualTo(other.end, one.start)

const refOf = (name: string, { end, start, user }: OnCallShift) => ({
  [`${name}.userId`]: user.id,
  [`${name}.start`]: DateTime.formatIso(start),
  [`${name}.end`]: DateTime.formatIso(end)
})

const Actions = ({ at, mine, schedule, shift }: {
  readonly at: number
  readonly schedule: Schedule
  readonly shift: OnCallShift
  /** The caller's next shift that a swap can give away. */
  readonly mine: OnCallShift | undefined
}) => {
  const { now, person } = useVisit()
  const who = <span class="sr">{" "}the shift of {personName(shift.user)}</span>
  return (
    <div class="actions">
      <CallButton
        call="create_oncall_override"
        id={`take-${at}`}
        fixed={{
          id: schedule.id,
          userId: person.user.id,
          insteadOf: shift.user.id,
          start: DateTime.formatIso(DateTime.max(now, shift.start)),
          end: DateTime.formatIso(shift.end)
        }}
        said="The shift is yours"
        look="plain tight"
      >
        Take over{who}
      </CallButton>
      {mine === undefined ? null : (
        <CallButton
          call="swap_oncall_shifts"
          id={`swap-${at}`}
          fixed={{ id: schedule.id, ...refOf("one", mine), ...refOf("other", shift) }}
          said="The shifts are swapped"
          look="plain tight"
        >
          Swap with mine<span class="sr">{" "}of {DateTime.formatIso(mine.start).slice(0, 10)}:</span>
          {who}
        </CallButton>
      )}
    </div>
  )
}

export const Upcoming = ({ members, schedule }: {
  readonly schedule: Schedule
  readonly members: ReadonlyArray<OnCallMember>
}) => {
  const { now, person } = useVisit()
  const mayStandIn = members.some(({ id }) => id === person.user.id)
  // Those now are whole: the calendar begins them with the rotation that they are of.
  const shifts = [...schedule.onCall, ...(schedule.shifts ?? []).filter(({ start }) => DateTime.greaterThan(start, now))]
  const own = shifts.filter(({ user }) => user.id === person.user.id)
  return (
    <ListPanel id="upcoming" title="Next shifts" none="None in these weeks.">
      {shifts.slice(0, most).map((shift, at) => (
        <li>
          <div>
            <b>{personName(shift.user)}</b> <NotPaged reachable={shift.user.reachable} />{" "}
            {shift.overrideId === null ? null : <Badge tone="calm">Override</Badge>}
            <p class="note">
              <Moment at={shift.start} /> to <Moment at={shift.end} style="dated" />
            </p>
          </div>
          {!mayStandIn || shift.user.id === person.user.id ?
            null :
            <Actions at={at} schedule={schedule} shift={shift} mine={own.find((one) => isApart(one, shift))} />}
        </li>
      ))}
    </ListPanel>
  )
}
