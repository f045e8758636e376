/** Builds every link that records, events, pages and messages contain. */
import { Context } from "effect"
import type { MonitorState } from "../../schema/monitor/Monitor.ts"
import { parsedUrl } from "../../schema/UrlText.ts"
import { imagesPath } from "../domain/image/ImageName.ts"
import { targetBelow } from "../domain/page/PageDomain.ts"
import { withoutTrailing } from "../domain/tools/text/TrimText.ts"

/** The fields that decide the address of a status page: it is served at its custom domain once that is verified. */
interface PageAddress {
  readonly slug: string
  readonly customDomain: string | null
  readonly domainVerifiedAt: unknown
}

const hostOf = (base: string): string => parsedUrl(base)?.hostname ?? base

/** Builds absolute links from the deployment's public address. `domainTarget`: see `pageDns`; by default below its host. */
export const linksFrom = (baseUrl: string, domainTarget = targetBelow(hostOf(withoutTrailing(baseUrl, "/")))) => {
  const base = withoutTrailing(baseUrl, "/")
  const app = (path: string) => (path === "" ? `${base}/app` : `${base}/app/${path}`)
  return {
    /** The address of the service itself, without a path. */
    service: base,
    /** A page of the signed-in app. `path` is relative to the app, such as `billing`; an empty path gives the app's home page. */
    app,
    /** The overview of a workspace. It names the workspace, because nothing else in it does. */
    overview: (workspaceId: string) => `${app("")}?workspace=${workspaceId}`,
    /** The monitors of a workspace, of one state or all. */
    monitors: (workspaceId: string, state: MonitorState | null) =>
      app(`monitors?workspace=${workspaceId}${state === null ? "" : `&state=${state}`}`),
    monitor: (id: string) => app(`monitors/${id}`),
    incident: (id: string) => app(`incidents/${id}`),
    page: ({ customDomain, domainVerifiedAt, slug }: PageAddress) =>
      customDomain === null || domainVerifiedAt === null ? `${base}/s/${slug}` : `https://${customDomain}`,
    /** The host name of the service. */
    host: hostOf(base),
    /** The host name that custom domains point to; with `*.` in front, each page has a name of its own there. */
    domainTarget,
    /** `name`: see `imageName`. */
    image: (name: string) => `${base}${imagesPath}${name}`,
    claim: (token: string) => `${base}/claim/${token}`,
    invite: (token: string) => `${base}/invite/${token}`,
    /** The ping URL of a heartbeat monitor. */
    ping: (token: string) => `${base}/hb/${token}`,
    /** The address below which a workspace's jobs name their heartbeat. */
    pingBySlug: (key: string) => `${base}/ping/${key}`,
    push: (token: string) => `${base}/api/v1/push/${token}`,
    /** The public status of a page as JSON. */
    publicStatus: (slug: string) => `${base}/api/v1/public/pages/${slug}`,
    /** The endpoint of a subscription. */
    subscription: (id: string, token: string) => `${base}/api/v1/public/subscribers/${id}?token=${token}`,
    manageSubscription: (id: string, token: string) => `${base}/subscriptions/${id}/${token}`,
    confirmSubscription: (id: string, token: string) => `${base}/subscriptions/${id}/confirm/${token}`,
    unsubscribe: (id: string, token: string) => `${base}/subscriptions/${id}/${token}/unsubscribe`,
    /** The page to leave an email channel. */
    leaveChannel: (token: string) => `${base}/alerts/leave/${token}`,
    /** `token` names its reader. */
    onCallFeed: (scheduleId: string, token: string) => `${base}/oncall/${scheduleId}/${token}.ics`,
    /** The page to acknowledge the incident of an alert. */
    acknowledge: (token: string) => `${base}/ack/${token}`,
    /** Where the Slack apps, Discord apps and Telegram bots of a workspace report what people press. */
    slackPresses: (workspaceId: string) => `${base}/chat/slack/${workspaceId}`,
    discordPresses: (workspaceId: string) => `${base}/chat/discord/${workspaceId}`,
    telegramUpdates: (workspaceId: string) => `${base}/chat/telegram/${workspaceId}`,
    /** Where people link their accounts in chats. */
    contact: app("contact"),
    /** Where providers of texts and calls report about a page, and where a key of a call leads. */
    twilioNews: (pagingId: string) => `${base}/phone/twilio/${pagingId}`,
    twilioKeys: (pagingId: string) => `${base}/phone/twilio/${pagingId}/keys`,
    phoneNews: `${base}/phone/news`,
    /** The page of a third party's component. */
    upstream: ({ component, service }: { readonly service: string; readonly component: string }) =>
      `${base}/status/${service}/${component}`,
    /** The pages to confirm and end mails about a third party. */
    confirmUpstream: (id: string, token: string) => `${base}/status-alerts/${id}/confirm/${token}`,
    leaveUpstream: (id: string, token: string) => `${base}/status-alerts/${id}/unsubscribe/${token}`
  }
}

export type LinkMaker = ReturnType<typeof linksFrom>

export class Links extends Context.Tag("belltower/Links")<Links, LinkMaker>() {}
