/** On-call: the members on call now, the schedules, the ways to reach members, and the drill of an alert. */
import type { Channel } from "../../../../schema/alert/Channel.ts"
import type { OnCallMember, Schedule } from "../../../../schema/oncall/Schedule.ts"
import { Choices } from "../../design/Choices.tsx"
import { counted } from "../../design/Counted.ts"
import { CallForm, Submit, useMay } from "../../design/Form.tsx"
import { Badge, CapturedNote, Item, ListPanel, Panel, Tag } from "../../design/Parts.tsx"
import { RecordTable } from "../../design/Table.tsx"
import { read, together, view } from "../../frame/View.ts"
import { OnDuty, personName } from "./OnDuty.tsx"

const NewSchedule = () => useMay("create_oncall_schedule") ? <a class="button" href="/app/on-call/new">New schedule</a> : null

const Schedules = ({ schedules }: { readonly schedules: ReadonlyArray<Schedule> }) => (
  <ListPanel
    id="schedules"
    title="Schedules"
    none={["No schedule yet", "A schedule hands the pager to the next person every week. Overrides cover holidays and swaps."]}
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

const ways = [["email", "Email"], ["phone", "Phone"], ["slack", "Slack"], ["telegram", "Telegram"]] as const

/** Email pages people; the other ways are recorded for later. */
const Way = ({ isSet, way }: { readonly isSet: boolean; readonly way: typeof ways[number][0] }) =>
  way === "email"
    ? isSet ? <span class="yes">Paged here</span> : <Badge tone="warn">Cannot be paged</Badge>
    : <span class="muted">{isSet ? "Recorded" : "–"}</span>

const Members = ({ members }: { readonly members: ReadonlyArray<OnCallMember> }) => (
  <Panel id="members" title="How people can be paged" flush actions={<a href="/app/contact">Your contact details</a>}>
    <RecordTable
      of={members}
      idOf={({ id }) =>
        `member-${id}`}
      columns={[
        {
          name: "Person",
          cell: (member) => (
            <>
              {personName(member)}
              {member.name === null ? null : <p class="note">{member.email}</p>}
            </>
          )
        },
        ...ways.map(([way, name]) => ({
          name,
          cell: ({ contact }: OnCallMember) => <Way isSet={contact[way]} way={way} />
        }))
      ]}
    />
    <p class="note body">
      People are paged by email, at a confirmed address. Phone, Slack and Telegram are recorded for later; they page nobody yet.
    </p>
  </Panel>
)

const DrillPanel = ({ channels }: { readonly channels: ReadonlyArray<Channel> }) =>
  useMay("create_drill") ?
    (
      <Panel id="drill" title="Page me: a drill">
        <p class="note">
          Sends a test incident, marked [Drill], the whole way: detection, alert, acknowledgement, recovery. Status pages do not
          show it. It takes up to half a minute.
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
                  values={channels.filter(({ isDefault }) => isDefault).map(({ id }) => id)}
                />
              </details>
            )}
          <Submit>Start the drill</Submit>
        </CallForm>
      </Panel>
    ) :
    null

export const onCallView = view("/app/on-call", "on-call", function*() {
  const [current, schedules, members, channels] = yield* together([
    read("get_current_oncall"),
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
        current.data.length === 0 ? null : (
          <Panel id="now" title="On call now" flush>
            <OnDuty current={current.data} />
          </Panel>
        ),
        <Schedules schedules={schedules.data} />,
        <CapturedNote>Pages by email are captured, not sent: no mail server is set.</CapturedNote>,
        <Members members={members.data} />
      ],
      <DrillPanel channels={channels.data} />
    ]
  }
})
