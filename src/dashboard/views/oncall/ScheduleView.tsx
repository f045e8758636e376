/** One on-call schedule: its calendar, overrides, feed, settings and end. */
import { DateTime, Effect, Option } from "effect"
import type { OnCallMember, Schedule } from "../../../../schema/oncall/Schedule.ts"
import { Confirm } from "../../design/Confirm.tsx"
import { Buttons, CallButton, CallForm, Field, Select } from "../../design/Form.tsx"
import { MomentField } from "../../design/MomentField.tsx"
import { Facts, Head, Panel, Tabs } from "../../design/Parts.tsx"
import { CopyText } from "../../design/Secret.tsx"
import { Moment } from "../../design/Time.tsx"
import { read, together } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"
import { Calendar } from "./Calendar.tsx"
import { choiceName, NotPaged, PagingWarnings, personName } from "./OnDuty.tsx"
import { ScheduleFields } from "./ScheduleFields.tsx"

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
  <Panel id="overrides" title="Overrides" flush={schedule.overrides.length > 0}>
    {schedule.overrides.length === 0 ? <p class="note">None. The rotation applies.</p> : (
      <ul class="rows">
        {schedule.overrides.map(({ end, id, note, start, userId }) => (
          <li id={`override-${id}`}>
            <div>
              <b>{nameOf(members, userId)}</b>{" "}
              <NotPaged reachable={members.find(({ id: member }) => member === userId)?.contact.email ?? false} />
              <p class="note">
                <Moment at={start} /> to <Moment at={end} style="dated" />
                {note === null ? null : `, ${note}`}
              </p>
            </div>
            <CallButton
              call="delete_oncall_override"
              id={`delete-${id}`}
              fixed={{ id: schedule.id, overrideId: id }}
              then={pathOf(schedule)}
              said="Override removed"
              undo={{
                operation: "create_oncall_override",
                given: {
                  id: schedule.id,
                  userId,
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
      </ul>
    )}
  </Panel>
)

const NewOverride = ({ members, now, schedule, zone }: Parts) => {
  const nextHour = DateTime.toUtc(DateTime.startOf(DateTime.addDuration(now, "1 hour"), "hour"))
  return (
    <Panel id="override" title="Put somebody else on call">
      <CallForm
        call="create_oncall_override"
        id="new-override"
        fixed={{ id: schedule.id }}
        then={pathOf(schedule)}
        said="Override added"
      >
        <Select
          name="userId"
          label="Who"
          value={members[0]?.id}
          options={members.map((member) => [member.id, choiceName(member)] as const)}
        />
        <div class="columns">
          <MomentField name="start" label="From" required at={nextHour} zone={zone} />
          <MomentField name="end" label="To" required at={DateTime.addDuration(nextHour, "1 day")} zone={zone} />
        </div>
        <Field name="note" label="Note" hint="Why, for the others" attributes={{ maxlength: 200 }} />
        <Buttons>
          <button>Add override</button>
        </Buttons>
      </CallForm>
    </Panel>
  )
}

const Feed = ({ schedule }: { readonly schedule: Schedule }) => (
  <Panel id="feed" title="Calendar feed">
    <p class="note">Subscribe to it in your calendar. Anyone who knows the address can read the shifts.</p>
    <CopyText id="feed-url" value={schedule.feedUrl} />
    <Confirm
      call="update_oncall_schedule"
      id="rotate-feed"
      fixed={{ id: schedule.id, "rotateFeed:boolean": true }}
      label="Replace the address"
      does="Replace the address"
      then={pathOf(schedule)}
      said="The feed has a new address"
      lost={
        <>
          <p>The old address stops working. Everybody has to subscribe again.</p>
        </>
      }
    />
  </Panel>
)

const Settings = ({ members, schedule }: Parts) => (
  <Panel id="settings" title="Settings">
    <CallForm
      call="update_oncall_schedule"
      id="edit-schedule"
      fixed={{ id: schedule.id }}
      then={pathOf(schedule)}
      said="Schedule saved"
      otherwise={
        <Facts
          of={[
            ["Time zone", schedule.timezone],
            ["Hand-off", schedule.handoffTime],
            ["Rotation", schedule.participants.map((id) => nameOf(members, id)).join(", ")]
          ]}
        />
      }
    >
      <ScheduleFields schedule={schedule} members={members} />
      <Buttons>
        <button>Save schedule</button>
      </Buttons>
    </CallForm>
  </Panel>
)

const End = ({ schedule: { id, name, overrides } }: Parts) => (
  <Confirm
    call="delete_oncall_schedule"
    id="delete-schedule"
    fixed={{ id }}
    label="Delete this schedule"
    does={`Delete ${name}`}
    then="/app/on-call"
    said="Schedule deleted"
    lost={
      <>
        <p>
          The rotation, {overrides.length === 1 ? "1 override" : `${overrides.length} overrides`}{" "}
          and the calendar feed are lost. Escalation policies that page {name} page nobody at that place.
        </p>
      </>
    }
  />
)

const Zones = ({ own, schedule, zone }: { readonly schedule: Schedule; readonly own: string; readonly zone: string }) =>
  own === schedule.timezone ? <span class="note">Times in {zone}</span> : (
    <Tabs
      label="Time zone of the calendar"
      here={zone === own ? `${pathOf(schedule)}?zone=mine` : pathOf(schedule)}
      of={[[pathOf(schedule), schedule.timezone], [`${pathOf(schedule)}?zone=mine`, `${own} (yours)`]]}
    />
  )

const Whole = ({ own, ...parts }: Parts & { readonly own: string }) => {
  const { now, schedule, zone } = parts
  const { end, user } = schedule.current
  return (
    <>
      <Head
        title={schedule.name}
        crumbs={[["/app/on-call", "On call"]]}
        note={
          <>
            {personName(user)} is on call until <Moment at={end} style="dated" />. <NotPaged reachable={user.reachable} />
          </>
        }
      />
      <div class="stack">
        <PagingWarnings of={schedule.warnings} />
        <Panel id="calendar" title="Calendar">
          <Zones schedule={schedule} own={own} zone={zone} />
          <Calendar schedule={schedule} now={now} zone={zone} />
        </Panel>
        <div class="split">
          <div class="stack">
            <NewOverride {...parts} />
            <Settings {...parts} />
          </div>
          <div class="stack">
            <Overrides {...parts} />
            <Feed schedule={schedule} />
            <End {...parts} />
          </div>
        </div>
      </div>
    </>
  )
}

const schedule = Effect.gen(function*() {
  const { now, params, query, zone: own } = yield* Visit
  const [found, members] = yield* Effect.all([
    read("get_oncall_schedule", { id: params["id"] ?? "", days: 42 }),
    read("list_oncall_members")
  ], together)
  const zone = query.get("zone") === "mine" ? own : found.timezone
  const zoned = Option.getOrElse(
    DateTime.makeZoned(now, { timeZone: zone }),
    () => DateTime.unsafeMakeZoned(now, { timeZone: "UTC" })
  )
  return { title: found.name, body: <Whole schedule={found} members={members.data} now={zoned} zone={zone} own={own} /> }
})

export const scheduleView = view("/app/on-call/:id", "on-call", schedule)

export const newScheduleView = view(
  "/app/on-call/new",
  "on-call",
  Effect.map(read("list_oncall_members"), ({ data }) => ({
    title: "New schedule",
    body: (
      <>
        <Head title="New schedule" crumbs={[["/app/on-call", "On call"]]} />
        <section class="panel">
          <div class="body">
            <CallForm call="create_oncall_schedule" id="new-schedule" then="/app/on-call/{id}" said="Schedule created">
              <ScheduleFields schedule={null} members={data} />
              <Buttons>
                <button>Create schedule</button>
              </Buttons>
            </CallForm>
          </div>
        </section>
      </>
    )
  }))
)
