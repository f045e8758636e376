/** The next shifts of a schedule, each to be taken over, handed over or swapped with one click. */
import { DateTime } from "effect"
import type { OnCallMember, OnCallShift, Schedule } from "../../../../schema/oncall/Schedule.ts"
import { momentsIn } from "../../../domain/tools/time/Moments.ts"
import { CallButton, CallForm, Select, Submit } from "../../design/Form.tsx"
import { useMay } from "../../design/May.tsx"
import { Badge, ListPanel } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import { useVisit } from "../../frame/Visit.ts"
import { choiceName, NotPaged, personName } from "./OnDuty.tsx"

/** Shifts that are shown, and those among which one is chosen. */
const most = 8
const mostOthers = 24

const isApart = (one: OnCallShift, other: OnCallShift): boolean =>
  DateTime.lessThanOrEqualTo(one.end, other.start) || DateTime.lessThanOrEqualTo(other.end, one.start)

const shiftRef = ({ end, start, user }: OnCallShift) => ({
  userId: user.id,
  start: DateTime.formatIso(start),
  end: DateTime.formatIso(end)
})

const refOf = (name: string, shift: OnCallShift) =>
  Object.fromEntries(Object.entries(shiftRef(shift)).map(([field, value]) => [`${name}.${field}`, value]))

/** The rest of a shift. */
const timesOf = (now: DateTime.Utc, { end, start }: OnCallShift) => ({
  start: DateTime.formatIso(DateTime.max(now, start)),
  end: DateTime.formatIso(end)
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
          ...timesOf(now, shift)
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

/** Anybody's shift goes to anybody, or for another person's. */
const More = ({ at, members, others, schedule, shift }: {
  readonly at: number
  readonly schedule: Schedule
  readonly shift: OnCallShift
  readonly members: ReadonlyArray<OnCallMember>
  /** The shifts that it can be swapped for. */
  readonly others: ReadonlyArray<OnCallShift>
}) => {
  const { locale, now, zone } = useVisit()
  const format = momentsIn(locale, zone, "weekday")
  const day = (moment: DateTime.Utc) => format.format(DateTime.toEpochMillis(moment))
  const takers = members.filter(({ id }) => id !== shift.user.id)
  if (!useMay("create_oncall_override") || takers.length === 0) return null
  return (
    <details class="more">
      <summary>
        Hand over or swap<span class="sr">{" "}the shift of {personName(shift.user)}</span>
      </summary>
      <div class="stack">
        <CallForm
          call="create_oncall_override"
          id={`give-${at}`}
          fixed={{ id: schedule.id, insteadOf: shift.user.id, ...timesOf(now, shift) }}
          said="The shift is handed over"
          copy={false}
        >
          <Select name="userId" label="To" options={takers.map((member) => [member.id, choiceName(member)] as const)} />
          <Submit look="plain">Hand over</Submit>
        </CallForm>
        {others.length === 0 ? null : (
          <CallForm
            call="swap_oncall_shifts"
            id={`exchange-${at}`}
            fixed={{ id: schedule.id, ...refOf("one", shift) }}
            said="The shifts are swapped"
            copy={false}
          >
            <Select
              name="other"
              as="shift"
              label="For the shift of"
              options={others.map((other) =>
                [
                  Object.values(shiftRef(other)).join(" "),
                  `${personName(other.user)}, ${day(other.start)} to ${day(other.end)}`
                ] as const
              )}
            />
            <Submit look="plain">Swap</Submit>
          </CallForm>
        )}
      </div>
    </details>
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
          <More
            at={at}
            schedule={schedule}
            shift={shift}
            members={members}
            others={shifts.slice(0, mostOthers).filter((other) => other.user.id !== shift.user.id && isApart(other, shift))}
          />
        </li>
      ))}
    </ListPanel>
  )
}
