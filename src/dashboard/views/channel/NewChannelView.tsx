/** A new alert channel: first its kind, then its settings with the steps to find them. */
import { Effect } from "effect"
import type { ChannelType, ListedChannel } from "../../../../schema/alert/Channel.ts"
import { Buttons, CallButton, CallForm, Field, useAnswer } from "../../design/Form.tsx"
import { Head } from "../../design/Parts.tsx"
import { Secret } from "../../design/Secret.tsx"
import { read, together } from "../../frame/DashboardApi.ts"
import type { Json } from "../../frame/FormBody.ts"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"
import { AttachExisting, totalOf } from "./AttachExisting.tsx"
import { KindFields, RoutingFields } from "./ChannelFields.tsx"
import { channelKinds, channelTypeOf, channelTypes } from "./ChannelKinds.ts"
import { IdenticalNote } from "./IdenticalNote.tsx"
import { TestResult, textOf } from "./TestResult.tsx"

const crumbs = [["/app/channels", "Channels"]] as const

const Kinds = () => (
  <>
    <Head title="New channel" note="Where should alerts go?" crumbs={crumbs} />
    <ul class="tiles">
      {channelTypes.map((type) => (
        <li>
          <a href={`/app/channels/new?type=${type}`}>
            <b>{channelKinds[type].name}</b>
            <span class="note">{channelKinds[type].what}</span>
          </a>
        </li>
      ))}
    </ul>
  </>
)

export const Steps = ({ type }: { readonly type: ChannelType }) => (
  <ol class="steps">{channelKinds[type].steps.map((step) => <li>{step}</li>)}</ol>
)

/** The next steps after a channel is created. */
const Created = ({ channels, created }: { readonly channels: ReadonlyArray<ListedChannel>; readonly created: Json }) => {
  const id = textOf(created, "id") ?? ""
  const secret = textOf(created, "signingSecret")
  return (
    <>
      <Head title="Channel created" crumbs={crumbs} />
      <IdenticalNote id={id} channels={channels} />
      <section class="panel">
        <div class="body">
          {secret === null ? null : <Secret id="signing-secret" label="Signing secret." value={secret} />}
          <p>Send a test to see that it arrives.</p>
          <div class="buttons">
            <CallButton call="test_channel" id="test-new" fixed={{ id }} look="">Send a test</CallButton>
            <a class="button plain" href={`/app/channels/${id}`}>Open the channel</a>
          </div>
        </div>
      </section>
    </>
  )
}

const NewChannel = ({ channels, monitors, type }: {
  readonly type: ChannelType
  readonly channels: ReadonlyArray<ListedChannel>
  readonly monitors: number
}) => {
  const created = useAnswer("new-channel")
  const tested = useAnswer("test-new")
  if (tested !== null) return <Tested tested={tested} />
  if (created !== null) return <Created channels={channels} created={created} />
  return (
    <>
      <Head title={`New ${channelKinds[type].name} channel`} crumbs={[...crumbs, ["/app/channels/new", "New channel"]]} />
      <div class="split">
        <section class="panel">
          <div class="body">
            <CallForm call="create_channel" id="new-channel" fixed={{ type }}>
              <Field name="name" label="Name" required value={channelKinds[type].name} attributes={{ maxlength: 80 }} />
              <KindFields type={type} channel={null} />
              <AttachExisting first={channels.length === 0} monitors={monitors} />
              <RoutingFields channel={null} />
              <Buttons>
                <button>Create channel</button>
                <a class="button plain" href="/app/channels/new">Another kind</a>
              </Buttons>
            </CallForm>
          </div>
        </section>
        <section class="panel" aria-label="How to find the settings">
          <div class="body">
            <h2 class="subhead">Where to find this</h2>
            <Steps type={type} />
          </div>
        </section>
      </div>
    </>
  )
}

const Tested = ({ tested }: { readonly tested: Json }) => (
  <>
    <Head title="Channel created" crumbs={crumbs} />
    <TestResult answer={tested} />
    <p>
      <a class="button plain" href="/app/channels">All channels</a>
    </p>
  </>
)

export const newChannelView = view(
  "/app/channels/new",
  "channels",
  Effect.gen(function*() {
    const type = channelTypeOf((yield* Visit).query.get("type"))
    if (type === null) return { title: "New channel", body: <Kinds /> }
    const [channels, { counts }] = yield* Effect.all(
      [read("list_channels"), read("list_monitors", { limit: 1, counts: true })],
      together
    )
    return {
      title: "New channel",
      body: <NewChannel type={type} channels={channels.data} monitors={totalOf(counts)} />
    }
  })
)
