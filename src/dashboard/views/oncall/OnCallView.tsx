/** On-call: the members on call now, the schedules, the ways to reach members, and the drill of an alert. */
import { DateTime, Option } from "effect"
import type { Channel } from "../../../../schema/alert/Channel.ts"
import type { CurrentOnCall, OnCallMember, Schedule } from "../../../../schema/oncall/Schedule.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { momentsIn } from "../../../domain/tools/time/Moments.ts"
import { Choices } from "../../design/Choices.tsx"
import { PlainInput } from "../../design/Filters.tsx"
import { CallForm, Submit } from "../../design/Form.tsx"
import { useMay } from "../../design/May.tsx"
import { CapturedNote, Item, ListPanel, Panel, Tag } from "../../design/Parts.tsx"
import { formBody } from "../../frame/FormBody.ts"
import { read, together, view } from "../../frame/View.ts"
import { useVisit } from "../../frame/Visit.ts"
import { kindNames } from "../account/PagedBy.tsx"
import { defaultChannels } from "../channel/DefaultChannels.ts"
import { isPaged, NotPaged, OnDuty, personName } from "./OnDuty.tsx"

const NewSchedule = () => useMay("create_oncall_schedule") ? <a class="button" href="/app/on-call/new">New schedule</a> : null

const Schedules = ({ schedules }: { readonly schedules: ReadonlyArray<Schedule> }) => (
  <ListPanel
    id="schedules"
    title="Schedules"
    none={["No schedules yet", "A schedule hands the pager to the next person every week. Overrides cover holidays and swaps."]}
    action={<NewSchedule />}
  >
    {schedules.map(({ handoffTime, id, name, overrides, participants, timezone }) => (
      <Item
        id={`schedule-${id}`}
        name={name}
        href={`/app/on-call/${id}`}
        note={`${counted(participants.length, "person", "people")}, hand-off at ${handoffTime}, ${timezone}`}
      >
        {overrides.length === 0 ? null : <Tag>{counted(overrides.length, "override")}</Tag>}
      </Item>
    ))}
  </ListPanel>
)

const Members = ({ members }: { readonly members: ReadonlyArray<OnCallMember> }) => (
  <ListPanel id="members" title="How people can be paged" actions={<a href="/app/contact">How you are paged</a>}>
    {members.map((member) => (
      <Item
        id={`member-${member.id}`}
        name={personName(member)}
        note={member.name === null ? null : member.email}
      >
        {isPaged(member) ? member.contact.ways.map((way) => <Tag>{kindNames[way]}</Tag>) : <NotPaged reachable={false} />}
      </Item>
    ))}
  </ListPanel>
)

const DrillPanel = ({ channels }: { readonly channels: ReadonlyArray<Channel> }) =>
  useMay("create_drill") ?
    (
      <Panel id="drill" title="Rehearse an incident">
        <p class="note">
          Sends a test incident, marked [Drill], through every step: detection, alert, acknowledgement, recovery. Status pages do
          not show it. It takes up to half a minute.
        </p>
        <CallForm call="create_drill" id="new-drill" then="/app/drills/{id}">
          {channels.length === 0
            ? (
              <p>
                Add a <a href="/app/channels/new">channel</a> first, so that the alert has somewhere to go.
              </p>
            )
            : (
              <details class="more">
                <summary>Only some channels</summary>
                <Choices
                  name="channelIds"
                  label="Channels"
                  required
                  options={channels.map(({ id, name }) => [id, name] as const)}
                  values={defaultChannels(channels)}
                />
              </details>
            )}
          <Submit>Start the drill</Submit>
        </CallForm>
      </Panel>
    ) :
    null

/** The moment that a local time of the query names; null without one. */
const momentOf = (text: string | null, zone: string): DateTime.Utc | null => {
  const { at } = formBody([[`at:moment@${zone}`, text ?? ""]])
  return typeof at === "string" ? Option.getOrNull(DateTime.make(at)) : null
}

/** The people on call, now or at a past time. */
const AtTime = ({ at, current }: { readonly current: ReadonlyArray<CurrentOnCall>; readonly at: DateTime.Utc | null }) => {
  const { locale, now, query, zone } = useVisit()
  return (
    <Panel
      id="now"
      title={at === null ? "On call now" : `On call on ${momentsIn(locale, zone, "dated").format(DateTime.toEpochMillis(at))}`}
      actions={at === null ? null : <a href="/app/on-call">Now</a>}
      flush
    >
      <OnDuty current={current} isNow={at === null} isPast={at !== null && DateTime.lessThan(at, now)} />
      <form class="inline body" method="get" action="/app/on-call#now">
        <PlainInput
          id="at"
          name="at"
          label={`At another time, in ${zone}`}
          type="datetime-local"
          value={at === null ? "" : query.get("at") ?? ""}
        />
        <button class="plain">Show</button>
      </form>
    </Panel>
  )
}

export const onCallView = view("/app/on-call", "on-call", function*({ query, zone }) {
  const at = momentOf(query.get("at"), zone)
  const [current, schedules, members, channels] = yield* together([
    read("get_current_oncall", at === null ? {} : { at: DateTime.formatIso(at) }),
    read("list_oncall_schedules"),
    read("list_oncall_members"),
    read("list_channels")
  ])
  return {
    title: "On call",
    live: ["incident.*"],
    head: { note: "Who answers, and when.", actions: <NewSchedule /> },
    split: [
      [
        current.data.length === 0 ? null : <AtTime current={current.data} at={at} />,
        <Schedules schedules={schedules.data} />,
        <CapturedNote>Pages by email are captured, not sent: no mail server is set.</CapturedNote>,
        <Members members={members.data} />
      ],
      <DrillPanel channels={channels.data} />
    ]
  }
})
