/** The base addresses of services whose address no channel names. */
import { Context } from "effect"

export const publicAddresses = {
  slack: "https://slack.com/api",
  discord: "https://discord.com/api/v10",
  telegram: "https://api.telegram.org",
  pagerduty: "https://events.pagerduty.com",
  opsgenie: "https://api.opsgenie.com",
  ntfy: "https://ntfy.sh"
}
export type ServiceAddresses = Readonly<Record<keyof typeof publicAddresses, string>>

/** Settings of the deployment, for proxies, air-gapped installations and tests. */
export class ChannelAddresses extends Context.Reference<ChannelAddresses>()("belltower/ChannelAddresses", {
  defaultValue: (): ServiceAddresses => publicAddresses
}) {}
