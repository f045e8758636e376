/** Warns that other channels have the same settings, so that their receiver gets each alert several times. */
import type { Channel, ListedChannel } from "../../../../schema/alert/Channel.ts"

/** Their names as links, `A, B and C`. */
const Names = ({ channels }: { readonly channels: ReadonlyArray<Channel> }) => (
  <>
    {channels.map(({ id, name }, index) => (
      <>
        {index === 0 ? "" : index === channels.length - 1 ? " and " : ", "}
        <a href={`/app/channels/${id}`}>{name}</a>
      </>
    ))}
  </>
)

/** Disabled channels do not count: they send nothing. */
export const IdenticalNote = ({ channels, id }: { readonly id: string; readonly channels: ReadonlyArray<ListedChannel> }) => {
  const channel = channels.find((one) => one.id === id)
  const others = channels.filter((one) => one.enabled && channel?.identicalTo.includes(one.id) === true)
  return channel?.enabled !== true || others.length === 0 ? null : (
    <p class="outcome is-warn">
      <b>
        Same settings as <Names channels={others} />.
      </b>{" "}
      What goes to each of these channels arrives once from each. Delete or disable those that you do not need.
    </p>
  )
}
