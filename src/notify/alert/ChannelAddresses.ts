/** The base addresses of services whose address no channel names. */
import { Context } from "effect"

export interface ServiceAddresses {
  readonly telegram: string
  readonly pagerduty: string
  readonly opsgenie: string
  readonly ntfy: string
}

export const publicAddresses: ServiceAddresses = {
  telegram: "https://api.telegram.org",
  pagerduty: "https://events.pagerduty.com",
  opsgenie: "https://api.opsgenie.com",
  ntfy: "https://ntfy.sh"
}

/** Settings of the deployment, for proxies, air-gapped installations and tests. */
export class ChannelAddresses extends Context.Reference<ChannelAddresses>()("belltower/ChannelAddresses", {
  defaultValue: (): ServiceAddresses => publicAddresses
}) {}
