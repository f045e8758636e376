/** The channels that are chosen in a form until somebody chooses others. */
import type { Channel } from "../../../../schema/alert/Channel.ts"
import { mostChannels } from "../../../../schema/monitor/Monitor.ts"

export const defaultChannels = (channels: ReadonlyArray<Pick<Channel, "id" | "isDefault">>): ReadonlyArray<string> =>
  channels.filter(({ isDefault }) => isDefault).slice(0, mostChannels).map(({ id }) => id)
