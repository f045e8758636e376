/** The channels that are chosen in a form until somebody chooses others. */
import type { Channel } from "../../../../schema/alert/Channel.ts"

/** The most that a call names. One without channels takes all that are default. */
export const mostChannels = 50

export const defaultChannels = (channels: ReadonlyArray<Pick<Channel, "id" | "isDefault">>): ReadonlyArray<string> =>
  channels.filter(({ isDefault }) => isDefault).slice(0, mostChannels).map(({ id }) => id)
