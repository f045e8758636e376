/** A new alert channel: first its kind, then its settings with the steps to find them. */
import type { ChannelType, ListedChannel } from "../../../../schema/alert/Channel.ts"
import { totalOf } from "../../design/Amounts.ts"
import { Secret } from "../../design/CopyText.tsx"
import { Buttons, CallButton, CallForm, Field, useAnswerOf } from "../../design/Form.tsx"
import { Box, Head } from "../../design/Parts.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { read, together, view } from "../../frame/View.ts"
import { AttachExisting, KindFields, RoutingFields } from "./ChannelFields.tsx"
import { channelKinds, channelTypeOf, channelTypes } from "./ChannelKinds.ts"
import { IdenticalNote, TestResult } from "./ChannelNotes.tsx"

const crumbs = [["/app/channels", "Channels"]] as const

const kinds = (
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
)

export const Steps = ({ type }: { readonly type: ChannelType }) => (
  <ol class="steps">{channelKinds[type].steps.map((step) => <li>{step}</li>)}</ol>
)

const Created = ({ channels, created: { id, signingSecret } }: {
  readonly channels: ReadonlyArray<ListedChannel>
  readonly created: AnswerOf<"create_channel">
}) => (
  <>
    <Head title="Channel created" crumbs={crumbs} />
    <IdenticalNote id={id} channels={channels} />
    <Box>
      {signingSecret === undefined ? null : <Secret id="signing-secret" label="Signing secret." value={signingSecret} />}
      <p>Send a test to see that it arrives.</p>
      <Buttons>
        <CallButton call="test_channel" id="test-new" fixed={{ id }} look="">Send a test</CallButton>
        <a class="button plain" href={`/app/channels/${id}`}>Open the channel</a>
      </Buttons>
    </Box>
  </>
)

const Tested = ({ tested }: { readonly tested: AnswerOf<"test_channel"> }) => (
  <>
    <Head title="Channel created" crumbs={crumbs} />
    <TestResult of={tested} />
    <p>
      <a class="button plain" href="/app/channels">All channels</a>
    </p>
  </>
)

const NewChannel = ({ channels, monitors, type }: {
  readonly type: ChannelType
  readonly channels: ReadonlyArray<ListedChannel>
  readonly monitors: number
}) => {
  const created = useAnswerOf("new-channel", "create_channel")
  const tested = useAnswerOf("test-new", "test_channel")
  if (tested !== null) return <Tested tested={tested} />
  if (created !== null) return <Created channels={channels} created={created} />
  const { name } = channelKinds[type]
  return (
    <>
      <Head title={`New ${name} channel`} crumbs={[...crumbs, ["/app/channels/new", "New channel"]]} />
      <div class="split">
        <Box>
          <CallForm call="create_channel" id="new-channel" fixed={{ type }}>
            <Field name="name" label="Name" required value={name} attributes={{ maxlength: 80 }} />
            <KindFields type={type} channel={null} />
            <AttachExisting first={channels.length === 0} monitors={monitors} />
            <RoutingFields channel={null} />
            <Buttons>
              <button>Create channel</button>
              <a class="button plain" href="/app/channels/new">Another kind</a>
            </Buttons>
          </CallForm>
        </Box>
        <Box label="How to find the settings">
          <h2 class="subhead">Where to find this</h2>
          <Steps type={type} />
        </Box>
      </div>
    </>
  )
}

export const newChannelView = view("/app/channels/new", "channels", function*({ query }) {
  const title = "New channel"
  const type = channelTypeOf(query.get("type"))
  if (type === null) return { title, head: { note: "Where should alerts go?", crumbs }, body: kinds }
  const [channels, { counts }] = yield* together([read("list_channels"), read("list_monitors", { limit: 1, counts: true })])
  return { title, body: <NewChannel type={type} channels={channels.data} monitors={totalOf(counts)} /> }
})
