/** One alert channel: its test, settings, quiet hours, secret, last deliveries, and deletion. */
import { Effect } from "effect"
import type { Channel, ListedChannel } from "../../../../schema/alert/Channel.ts"
import type { Delivery } from "../../../../schema/alert/Delivery.ts"
import type { Policy } from "../../../../schema/oncall/Policy.ts"
import { CapturedNote } from "../../design/CapturedNote.tsx"
import { Confirm } from "../../design/Confirm.tsx"
import { Buttons, CallButton, CallForm, Field, useAnswer } from "../../design/Form.tsx"
import { Facts, Head, Panel } from "../../design/Parts.tsx"
import { Secret } from "../../design/Secret.tsx"
import { Moment } from "../../design/Time.tsx"
import { read, together } from "../../frame/DashboardApi.ts"
import { notHere } from "../../frame/NotHere.ts"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"
import { DeliveryRows } from "../delivery/DeliveryRows.tsx"
import { KindFields, RoutingFields } from "./ChannelFields.tsx"
import { channelKinds } from "./ChannelKinds.ts"
import { destinationOf } from "./ChannelsView.tsx"
import { IdenticalNote } from "./IdenticalNote.tsx"
import { Steps } from "./NewChannelView.tsx"
import { QuietHoursForm } from "./QuietHoursForm.tsx"
import { TestResult, textOf } from "./TestResult.tsx"

const Settings = ({ channel }: { readonly channel: Channel }) => (
  <Panel id="settings" title="Settings">
    <CallForm
      call="update_channel"
      id="edit-channel"
      fixed={{ id: channel.id }}
      then={`/app/channels/${channel.id}`}
      said="Channel saved"
      otherwise={<Facts of={[["Kind", channelKinds[channel.type].name], ["Delivers to", destinationOf(channel)]]} />}
    >
      <Field name="name" label="Name" required value={channel.name} attributes={{ maxlength: 80 }} />
      <KindFields type={channel.type} channel={channel} />
      <RoutingFields channel={channel} />
      <Buttons>
        <button>Save</button>
      </Buttons>
    </CallForm>
  </Panel>
)

const SigningSecret = ({ id }: { readonly id: string }) => {
  const rotated = useAnswer("rotate")
  const secret = rotated === null ? null : textOf(rotated, "signingSecret")
  return (
    <Panel id="secret" title="Signing secret">
      {secret === null
        ? <p class="note">Shown once, when it is made. A new one replaces it immediately: update your receiver right after.</p>
        : <Secret id="signing-secret" label="Signing secret." value={secret} />}
      <CallButton call="update_channel" id="rotate" fixed={{ id, "rotateSecret:boolean": true }}>Make a new secret</CallButton>
    </Panel>
  )
}

const mostDue = 200

/** Says how many pending deliveries are lost with the channel. */
const pendingOf = (due: number): string =>
  due === 0
    ? "No delivery is pending."
    : due === 1
    ? "1 pending delivery is lost."
    : `${due === mostDue ? `More than ${mostDue - 1}` : due} pending deliveries are lost.`

const End = ({ channel: { id, name }, due, policies }: {
  readonly channel: Channel
  readonly due: number
  readonly policies: ReadonlyArray<Policy>
}) => (
  <Confirm
    call="delete_channel"
    id="delete-channel"
    fixed={{ id }}
    label="Delete this channel"
    does={`Delete ${name}`}
    then="/app/channels"
    said="Channel deleted"
    lost={
      <>
        <ul class="bullets">
          <li>Monitors that alert here stop doing so.</li>
          <li>{pendingOf(due)}</li>
          {policies.map((policy) => (
            <li>
              The escalation policy <a href={`/app/escalation/${policy.id}`}>{policy.name}</a> pages it.
            </li>
          ))}
        </ul>
      </>
    }
  />
)

const Test = ({ id }: { readonly id: string }) => {
  const answer = useAnswer("test")
  return (
    <Panel id="test-panel" title="Test">
      {answer === null ? <p class="note">Sends a test event to this channel only.</p> : <TestResult answer={answer} />}
      <CallButton call="test_channel" id="test" fixed={{ id }}>Send a test</CallButton>
    </Panel>
  )
}

const Whole = ({ channel, channels, deliveries, due, policies }: {
  readonly channel: Channel
  readonly channels: ReadonlyArray<ListedChannel>
  readonly deliveries: ReadonlyArray<Delivery>
  readonly due: number
  readonly policies: ReadonlyArray<Policy>
}) => (
  <>
    <Head
      title={channel.name}
      crumbs={[["/app/channels", "Channels"]]}
      note={
        <>
          {channelKinds[channel.type].name}, created <Moment at={channel.createdAt} style="day" />
        </>
      }
    />
    <IdenticalNote id={channel.id} channels={channels} />
    <div class="split">
      <div class="stack">
        <Settings channel={channel} />
        <QuietHoursForm channel={channel} />
      </div>
      <div class="stack">
        {channel.type === "email"
          ? <CapturedNote>What this channel receives is captured, not sent: no mail server is set.</CapturedNote>
          : null}
        <Test id={channel.id} />
        {channel.type === "webhook" ? <SigningSecret id={channel.id} /> : null}
        <Panel
          id="last"
          title="Last deliveries"
          flush={deliveries.length > 0}
          actions={<a href={`/app/deliveries?channelId=${channel.id}`}>All</a>}
        >
          {deliveries.length === 0
            ? <p class="note">Nothing was sent here yet.</p>
            : <DeliveryRows deliveries={deliveries} />}
        </Panel>
        <Panel id="how" title="Where the settings come from">
          <Steps type={channel.type} />
        </Panel>
        <End channel={channel} due={due} policies={policies} />
      </div>
    </div>
  </>
)

const channel = Effect.gen(function*() {
  const { params } = yield* Visit
  const { data } = yield* read("list_channels")
  const found = data.find(({ id }) => id === params["id"])
  if (found === undefined) return yield* notHere("channel")
  const [deliveries, due, policies] = yield* Effect.all([
    read("list_deliveries", { channelId: found.id, limit: 8 }),
    read("list_deliveries", { channelId: found.id, status: "due", limit: mostDue }),
    read("list_escalation_policies")
  ], together)
  const paging = policies.data.filter(({ levels }) => levels.some(({ targets }) => targets.some(({ id }) => id === found.id)))
  return {
    title: found.name,
    body: <Whole channel={found} channels={data} deliveries={deliveries.data} due={due.data.length} policies={paging} />
  }
})

export const channelView = view("/app/channels/:id", "channels", channel)
