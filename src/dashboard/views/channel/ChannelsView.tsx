/** All alert channels, with their events. */
import type { Channel } from "../../../../schema/alert/Channel.ts"
import { CallButton, useAnswerOf } from "../../design/Form.tsx"
import { useMay } from "../../design/May.tsx"
import { Badge, Item, List, Tag } from "../../design/Parts.tsx"
import { read, view } from "../../frame/View.ts"
import { channelKinds } from "./ChannelKinds.ts"
import { TestResult } from "./ChannelNotes.tsx"

export const destinationOf = ({ chatId, emails, topic, type, url }: Channel): string =>
  emails?.join(", ") ?? (topic === undefined ? chatId ?? url ?? channelKinds[type].what : `Topic ${topic}`)

const NewChannel = () => useMay("create_channel") ? <a class="button" href="/app/channels/new">New channel</a> : null

const Row = ({ channel }: { readonly channel: Channel }) => {
  const { enabled, id, isDefault, name, problem, quietHours, type } = channel
  const answer = useAnswerOf(`test-${id}`, "test_channel")
  return (
    <Item
      id={`channel-${id}`}
      name={name}
      href={`/app/channels/${id}`}
      note={destinationOf(channel)}
      more={answer === null ? null : <TestResult of={answer} />}
    >
      <span class="buttons">
        {enabled ? null : <Badge tone="none">Disabled</Badge>}
        {problem === undefined ? null : <Badge tone="bad">Not reached</Badge>}
        {isDefault ? <Tag>Default</Tag> : null}
        {quietHours === null ? null : <Tag>Quiet {quietHours.from}–{quietHours.to}</Tag>}
        <Tag>{channelKinds[type].name}</Tag>
        <CallButton call="test_channel" id={`test-${id}`} fixed={{ id }} look="plain tight">
          Test<span class="sr">{" "}{name}</span>
        </CallButton>
      </span>
    </Item>
  )
}

export const channelsView = view("/app/channels", "channels", function*() {
  const { data } = yield* read("list_channels")
  return {
    title: "Channels",
    head: { note: "Where your team receives alerts.", actions: <NewChannel /> },
    body: (
      <section class="panel">
        <List
          none={[
            "No channels yet",
            "Add a channel: email, Slack, PagerDuty, a webhook and others. New monitors alert there by default."
          ]}
          action={<NewChannel />}
        >
          {data.map((channel) => <Row channel={channel} />)}
        </List>
      </section>
    )
  }
})
