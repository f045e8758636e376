/** All alert channels, with their events. */
import { Effect } from "effect"
import type { Channel } from "../../../../schema/alert/Channel.ts"
import { CallButton, useAnswer, useMay } from "../../design/Form.tsx"
import { Badge, Empty, Head, Tag } from "../../design/Parts.tsx"
import { read } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { channelKinds } from "./ChannelKinds.ts"
import { TestResult } from "./TestResult.tsx"

/** The channel's destination, in a line. */
export const destinationOf = ({ chatId, emails, topic, type, url }: Channel): string =>
  emails?.join(", ") ?? (topic === undefined ? chatId ?? url ?? channelKinds[type].what : `Topic ${topic}`)

const NewChannel = () => useMay("create_channel") ? <a class="button" href="/app/channels/new">New channel</a> : null

const Row = ({ channel }: { readonly channel: Channel }) => {
  const { enabled, id, isDefault, name, quietHours, type } = channel
  const answer = useAnswer(`test-${id}`)
  return (
    <li id={`channel-${id}`}>
      <div>
        <a class="title" href={`/app/channels/${id}`}>{name}</a>
        <p class="note">
          {destinationOf(channel)}
        </p>
        {answer === null ? null : <TestResult answer={answer} />}
      </div>
      <span class="buttons">
        {enabled ? null : <Badge tone="none">Disabled</Badge>}
        {isDefault ? <Tag>Default</Tag> : null}
        {quietHours === null ? null : <Tag>Quiet {quietHours.from}–{quietHours.to}</Tag>}
        <Tag>{channelKinds[type].name}</Tag>
        <CallButton call="test_channel" id={`test-${id}`} fixed={{ id }} look="plain tight">
          Test<span class="sr">{" "}{name}</span>
        </CallButton>
      </span>
    </li>
  )
}

const Channels = ({ channels }: { readonly channels: ReadonlyArray<Channel> }) => (
  <>
    <Head title="Channels" note="Where your team receives alerts.">
      <NewChannel />
    </Head>
    <section class="panel">
      {channels.length === 0
        ? (
          <Empty
            title="Nobody gets an alert yet"
            text="Add a channel: email, Slack, PagerDuty, a webhook and others. New monitors alert there by default."
          >
            <NewChannel />
          </Empty>
        )
        : <ul class="rows">{channels.map((channel) => <Row channel={channel} />)}</ul>}
    </section>
  </>
)

export const channelsView = view(
  "/app/channels",
  "channels",
  Effect.map(read("list_channels"), ({ data }) => ({ title: "Channels", body: <Channels channels={data} /> }))
)
