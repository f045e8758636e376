/** One alert channel: its test, settings, quiet hours, secret, last deliveries, and deletion. */
import type { Channel } from "../../../../schema/alert/Channel.ts"
import type { Delivery } from "../../../../schema/alert/Delivery.ts"
import type { Policy } from "../../../../schema/oncall/Policy.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { linksFrom } from "../../../links/Links.ts"
import { Delete } from "../../design/Confirm.tsx"
import { CopyText, Secret } from "../../design/CopyText.tsx"
import { CallButton, CallForm, Field, Submit, useAnswerOf } from "../../design/Form.tsx"
import { CapturedNote, Facts, Panel } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import { listed, read, together, view } from "../../frame/View.ts"
import { DeliveryRows } from "../delivery/DeliveriesView.tsx"
import { KindFields, RoutingFields } from "./ChannelFields.tsx"
import { channelKinds } from "./ChannelKinds.ts"
import { IdenticalNote, ProblemNote, TestResult } from "./ChannelNotes.tsx"
import { destinationOf } from "./ChannelsView.tsx"
import { Steps } from "./NewChannelView.tsx"
import { QuietHoursForm } from "./QuietHoursForm.tsx"

const Settings = ({ channel }: { readonly channel: Channel }) => (
  <Panel id="settings" title="Settings">
    <CallForm
      call="update_channel"
      id="edit-channel"
      fixed={{ id: channel.id }}
      of={channel}
      said="Channel saved"
      otherwise={<Facts of={[["Kind", channelKinds[channel.type].name], ["Delivers to", destinationOf(channel)]]} />}
    >
      <Field name="name" label="Name" required value={channel.name} attributes={{ maxlength: 80 }} />
      <KindFields type={channel.type} channel={channel} />
      <RoutingFields channel={channel} />
      <Submit>Save</Submit>
    </CallForm>
  </Panel>
)

const SigningSecret = ({ id }: { readonly id: string }) => {
  const secret = useAnswerOf("rotate", "update_channel")?.signingSecret
  return (
    <Panel id="secret" title="Signing secret">
      {secret === undefined
        ? <p class="note">Shown once, when it is made. A new one replaces it immediately: update your receiver right after.</p>
        : <Secret id="signing-secret" label="Signing secret." value={secret} />}
      <CallButton call="update_channel" id="rotate" fixed={{ id, "rotateSecret:boolean": true }}>Make a new secret</CallButton>
    </Panel>
  )
}

/** Settings to be entered in Slack or Discord, which no interface of theirs takes from us. */
const Interactivity = ({ address, type }: { readonly address: string; readonly type: "slack" | "discord" }) => (
  <Panel id="interactivity" title={`Buttons in ${channelKinds[type].name}`}>
    <p class="note">
      {type === "slack"
        ? "In the settings of your app, under Interactivity & Shortcuts, switch Interactivity on and enter this Request URL. "
        : "In the Developer Portal, under General Information of your application, enter this Interactions Endpoint URL. "}
      It must be reachable from the internet.
    </p>
    <CopyText id="request-url" value={address} />
  </Panel>
)

const mostDue = 200

/** The pending deliveries that are lost with the channel. */
const pendingOf = (due: number): string =>
  due === 0
    ? "No delivery is pending."
    : due === mostDue
    ? `More than ${mostDue - 1} pending deliveries are lost.`
    : `${counted(due, "pending delivery is", "pending deliveries are")} lost.`

const End = ({ channel: { id, name }, due, policies }: {
  readonly channel: Channel
  readonly due: number
  readonly policies: ReadonlyArray<Policy>
}) => (
  <Delete
    call="delete_channel"
    fixed={{ id }}
    noun="channel"
    name={name}
    then="/app/channels"
    lost={
      <ul class="bullets">
        <li>Monitors that alert here stop doing so.</li>
        <li>{pendingOf(due)}</li>
        {policies.map((policy) => (
          <li>
            The escalation policy <a href={`/app/escalation/${policy.id}`}>{policy.name}</a> pages it.
          </li>
        ))}
      </ul>
    }
  />
)

const Test = ({ id }: { readonly id: string }) => {
  const answer = useAnswerOf("test", "test_channel")
  return (
    <Panel id="test-panel" title="Test">
      {answer === null ? <p class="note">Sends a test event to this channel only.</p> : <TestResult of={answer} />}
      <CallButton call="test_channel" id="test" fixed={{ id }}>Send a test</CallButton>
    </Panel>
  )
}

const LastDeliveries = ({ deliveries, id }: { readonly deliveries: ReadonlyArray<Delivery>; readonly id: string }) => (
  <Panel
    id="last"
    title="Last deliveries"
    flush={deliveries.length > 0}
    actions={<a href={`/app/deliveries?channelId=${id}`}>All</a>}
  >
    {deliveries.length === 0
      ? <p class="note">Nothing has been sent here yet.</p>
      : <DeliveryRows deliveries={deliveries} />}
  </Panel>
)

export const channelView = view("/app/channels/:id", "channels", function*({ baseUrl, id, workspace }) {
  const { data: channels } = yield* read("list_channels")
  const channel = yield* listed("channel", channels, id)
  const { createdAt, name, type } = channel
  const [deliveries, due, policies] = yield* together([
    read("list_deliveries", { channelId: id, limit: 8 }),
    read("list_deliveries", { channelId: id, status: "due", limit: mostDue }),
    read("list_escalation_policies")
  ])
  const paging = policies.data.filter(({ levels }) => levels.some(({ targets }) => targets.some((one) => one.id === id)))
  return {
    title: name,
    head: {
      crumbs: [["/app/channels", "Channels"]],
      note: (
        <>
          {channelKinds[type].name}, created <Moment at={createdAt} style="day" />
        </>
      )
    },
    body: (
      <>
        <ProblemNote channel={channel} />
        <IdenticalNote id={id} channels={channels} />
        <div class="split">
          <div class="stack">
            <Settings channel={channel} />
            <QuietHoursForm channel={channel} />
          </div>
          <div class="stack">
            {type === "email"
              ? <CapturedNote>What this channel receives is captured, not sent: no mail server is set.</CapturedNote>
              : null}
            <Test id={id} />
            {type === "webhook" ? <SigningSecret id={id} /> : null}
            {type === "slack" && channel.appSecret !== undefined && workspace !== null
              ? <Interactivity type="slack" address={linksFrom(baseUrl).slackPresses(workspace.id)} />
              : null}
            {type === "discord" && channel.appSecret !== undefined && workspace !== null
              ? <Interactivity type="discord" address={linksFrom(baseUrl).discordPresses(workspace.id)} />
              : null}
            <LastDeliveries id={id} deliveries={deliveries.data} />
            <Panel id="how" title="Set up the receiver">
              <Steps type={type} />
            </Panel>
            <End channel={channel} due={due.data.length} policies={paging} />
          </div>
        </div>
      </>
    )
  }
})
