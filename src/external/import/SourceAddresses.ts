/** Where the services are that importers read. */
/** The base addresses of the services, without a trailing slash. */
export const publicSources = {
  uptimerobot: "https://api.uptimerobot.com/v3",
  uptimerobotV2: "https://api.uptimerobot.com/v2",
  betterstack: "https://uptime.betterstack.com",
  statuspage: "https://api.statuspage.io/v1",
  healthchecks: "https://healthchecks.io"
}
export type SourceAddresses = Readonly<Record<keyof typeof publicSources, string>>
