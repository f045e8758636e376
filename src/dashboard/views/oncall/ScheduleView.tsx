/** One on-call schedule: its calendar, overrides, feed, settings and end. */
import { DateTime, Option } from "effect"
import type { OnCallMember, Schedule } from "../../../../schema/oncall/Schedule.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { isolated } from "../../../domain/tools/text/Direction.ts"
import { Confirm, Delete } from "../../design/Confirm.tsx"
import { CopyText } from "../../design/CopyText.tsx"
import { CallButton, CallForm, Field, Select, Submit } from "../../design/Form.tsx"
import { Badge, Box, Facts, ListPanel, Panel, Tabs } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import { MomentField } from "../../design/TimeFields.tsx"
import { read, together, view } from "../../frame/View.ts"
import { Calendar } from "./Calendar.tsx"
import { CalendarImport } from "./CalendarImport.tsx"
import { choiceName, isPaged, NotPaged, PagingWarnings, personName } from "./OnDuty.tsx"
import { ScheduleFields } from "./ScheduleFields.tsx"
import { Upcoming } from "./Upcoming.tsx"

interface Parts {
  readonly schedule: Schedule
  readonly members: ReadonlyArray<OnCallMember>
  readonly now: DateTime.Zoned
  readonly zone: string
}

const pathOf = ({ id }: Schedule) => `/app/on-call/${id}` as const

const nameOf = (members: ReadonlyArray<OnCallMember>, userId: string): string => {
  const member = members.find(({ id }) => id === userId)
  return member === undefined ? "Someone who left" : personName(member)
}

const Overrides = ({ members, schedule }: Parts) => (
  <ListPanel id="overrides" title="Overrides" none="None. The rotation applies.">
    {schedule.overrides.map(({ end, id, insteadOf, note, start, userId }) => (
      <li id={`override-${id}`}>
        <div>
          <b>{nameOf(members, userId)}</b>
          {insteadOf === null ? null : <>{" "}for {nameOf(members, insteadOf)}</>}{" "}
          <NotPaged reachable={members.every((one) => one.id !== userId || isPaged(one))} />
          <p class="note">
            <Moment at={start} /> to <Moment at={end} style="dated" />
            {note === null ? null : `, ${note}`}
          </p>
        </div>
        <CallButton
          call="delete_oncall_override"
          id={`delete-${id}`}
          fixed={{ id: schedule.id, overrideId: id }}
          said="Override removed"
          undo={{
            operation: "create_oncall_override",
            given: {
              id: schedule.id,
              userId,
              ...(insteadOf === null ? {} : { insteadOf }),
              start: DateTime.formatIso(start),
              end: DateTime.formatIso(end),
              ...(note === null ? {} : { note })
            }
          }}
          look="danger tight"
        >
          Remove<span class="sr">{" "}the override of {nameOf(members, userId)}</span>
        </CallButton>
      </li>
    ))}
  </ListPanel>
)

const NewOverride = ({ members, now, schedule, zone }: Parts) => {
  const nextHour = DateTime.toUtc(DateTime.startOf(DateTime.addDuration(now, "1 hour"), "hour"))
  return (
    <Panel id="override" title="Add an override">
      <CallForm call="create_oncall_override" id="new-override" fixed={{ id: schedule.id }} said="Override added">
        <Select
          name="userId"
          label="Who"
          value={members[0]?.id}
          options={members.map((member) => [member.id, choiceName(member)] as const)}
        />
        <Select
          name="insteadOf"
          label="Replaces"
          value=""
          options={[["", "Everybody's"], ...members.map((member) => [member.id, personName(member)] as const)]}
        />
        <div class="columns">
          <MomentField name="start" label="From" required at={nextHour} zone={zone} />
          <MomentField name="end" label="To" required at={DateTime.addDuration(nextHour, "1 day")} zone={zone} />
        </div>
        <Field name="note" label="Note" hint="The reason, for your team" attributes={{ maxlength: 200 }} />
        <Submit>Add override</Submit>
      </CallForm>
    </Panel>
  )
}

const Feed = ({ schedule }: { readonly schedule: Schedule }) => (
  <Panel id="feed" title="Calendar feed">
    <p class="note">
      Subscribe to it in your calendar. The address is yours: anyone who knows it can read the shifts, until you leave the
      workspace.
    </p>
    <CopyText id="feed-url" value={schedule.feedUrl} />
    <Confirm
      call="update_oncall_schedule"
      id="rotate-feed"
      fixed={{ id: schedule.id, "rotateFeed:boolean": true }}
      label="Replace the address"
      said="The feed has a new address"
      lost="The old addresses stop working. Everyone has to subscribe again."
    />
  </Panel>
)

const Settings = ({ members, schedule }: Parts) => (
  <Panel id="settings" title="Settings">
    <CallForm
      call="update_oncall_schedule"
      id="edit-schedule"
      fixed={{ id: schedule.id }}
      of={schedule}
      said="Schedule saved"
      otherwise={
        <Facts
          of={[
            ["Time zone", schedule.timezone],
            ["Hand-off", schedule.handoffTime],
            ["Rotation", schedule.participants.map((id) => nameOf(members, id)).join(", ")],
            ...schedule.layers.map((layer, at): readonly [string, string] => [
              layer.name ?? `Layer ${at + 1}`,
              layer.participants.map((id) => nameOf(members, id)).join(", ")
            ])
          ]}
        />
      }
    >
      <ScheduleFields schedule={schedule} members={members} />
      <Submit>Save schedule</Submit>
    </CallForm>
  </Panel>
)

const End = ({ schedule: { id, name, overrides } }: Parts) => (
  <Delete
    call="delete_oncall_schedule"
    fixed={{ id }}
    noun="schedule"
    name={name}
    then="/app/on-call"
    lost={`The rotation, ${counted(overrides.length, "override")} and the calendar feed are lost. Escalation policies that page ${
      isolated(name)
    } page nobody at that place.`}
  />
)

interface Shown {
  readonly schedule: Schedule
  readonly zone: string
  /** How many weeks after the current one the calendar begins. */
  readonly weeks: number
  readonly isOwn: boolean
}

const calendarPath = ({ isOwn, schedule, weeks }: Omit<Shown, "zone">): string => {
  const query = [...(isOwn ? ["zone=mine"] : []), ...(weeks === 0 ? [] : [`weeks=${weeks}`])].join("&")
  return `${pathOf(schedule)}${query === "" ? "" : `?${query}`}`
}

const Zones = ({ own, shown }: { readonly own: string; readonly shown: Shown }) =>
  own === shown.schedule.timezone ? <span class="note">Times in {shown.zone}</span> : (
    <Tabs
      label="Time zone of the calendar"
      here={calendarPath(shown)}
      of={[
        [calendarPath({ ...shown, isOwn: false }), shown.schedule.timezone],
        [calendarPath({ ...shown, isOwn: true }), `${own} (yours)`]
      ]}
    />
  )

/** Six weeks earlier and later: what was, too. */
const Paging = ({ shown }: { readonly shown: Shown }) => (
  <nav class="calendar-weeks" aria-label="Weeks of the calendar">
    <a href={calendarPath({ ...shown, weeks: shown.weeks - 6 })}>Earlier</a>
    {shown.weeks === 0 ? null : <a href={calendarPath({ ...shown, weeks: 0 })}>This week</a>}
    <a href={calendarPath({ ...shown, weeks: shown.weeks + 6 })}>Later</a>
  </nav>
)

const zonedAt = (now: DateTime.Utc, timeZone: string): DateTime.Zoned =>
  Option.getOrElse(DateTime.makeZoned(now, { timeZone }), () => DateTime.unsafeMakeZoned(now, { timeZone: "UTC" }))

const weeksOf = (text: string | null): number => {
  const weeks = Number(text ?? 0)
  return Number.isInteger(weeks) && Math.abs(weeks) <= 520 ? weeks : 0
}

const Now = ({ schedule: { onCall } }: { readonly schedule: Schedule }) =>
  onCall.length === 0 ? <Badge tone="bad">Nobody is on call</Badge> : (
    <>
      {onCall.map(({ end, user }) => (
        <span>
          {personName(user)} is on call until <Moment at={end} style="dated" />. <NotPaged reachable={user.reachable} />
          {" "}
        </span>
      ))}
    </>
  )

export const scheduleView = view("/app/on-call/:id", "on-call", function*({ id, now, query, zone: own }) {
  const weeks = weeksOf(query.get("weeks"))
  // The zone of the schedule is known only with it, so the first and last hours of another zone can be missing.
  const from = DateTime.toUtc(DateTime.add(DateTime.startOf(zonedAt(now, own), "week", { weekStartsOn: 1 }), { weeks }))
  const [schedule, { data: members }] = yield* together([
    read("get_oncall_schedule", { id, days: 42, from: DateTime.formatIso(from) }),
    read("list_oncall_members")
  ])
  const isOwn = query.get("zone") === "mine"
  const zone = isOwn ? own : schedule.timezone
  const zoned = zonedAt(now, zone)
  const shown: Shown = { schedule, zone, weeks, isOwn }
  const parts: Parts = { schedule, members, now: zoned, zone }
  return {
    title: schedule.name,
    head: { crumbs: [["/app/on-call", "On call"]], note: <Now schedule={schedule} /> },
    stack: [
      <PagingWarnings of={schedule.warnings} />,
      <Panel id="calendar" title="Calendar" actions={<Paging shown={shown} />}>
        <Zones own={own} shown={shown} />
        <Calendar schedule={schedule} from={DateTime.add(zoned, { weeks })} now={zoned} zone={zone} />
      </Panel>,
      [
        [<Upcoming {...parts} />, <NewOverride {...parts} />, <Settings {...parts} />],
        [<Overrides {...parts} />, <Feed schedule={schedule} />, <CalendarImport schedule={schedule} />, <End {...parts} />]
      ]
    ]
  }
})

export const newScheduleView = view("/app/on-call/new", "on-call", function*() {
  const { data } = yield* read("list_oncall_members")
  return {
    title: "New schedule",
    head: { crumbs: [["/app/on-call", "On call"]] },
    body: (
      <Box>
        <CallForm call="create_oncall_schedule" id="new-schedule" then="/app/on-call/{id}" said="Schedule created">
          <ScheduleFields schedule={null} members={data} />
          <Submit>Create schedule</Submit>
        </CallForm>
      </Box>
    )
  }
})
