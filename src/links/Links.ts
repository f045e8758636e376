/** Builds every link that records, events, pages and messages contain. */
import { Context } from "effect"
import type { MonitorState } from "../../schema/monitor/Monitor.ts"
import { withoutTrailing } from "../domain/tools/TrimText.ts"

/** The fields that decide the address of a status page: it is served at its custom domain once that is verified. */
export interface PageAddress {
  readonly slug: string
  readonly customDomain: string | null
  readonly domainVerifiedAt: unknown
}

/** Builds absolute links from the deployment's public address. */
export interface LinkMaker {
  /** A page of the signed-in app. `path` is relative to the app, such as `billing`; an empty path gives the app's home page. */
  readonly app: (path: string) => string
  /** The overview of a workspace. It names the workspace, because nothing else in it does. */
  readonly overview: (workspaceId: string) => string
  /** The monitors of a workspace, of one state or all. */
  readonly monitors: (workspaceId: string, state: MonitorState | null) => string
  readonly monitor: (id: string) => string
  readonly incident: (id: string) => string
  /** The public address of a status page. */
  readonly page: (page: PageAddress) => string
  /** The host name that custom domains point to. */
  readonly domainTarget: string
  /** The page to claim a workspace that an agent created. */
  readonly claim: (token: string) => string
  /** The page to accept an invitation. */
  readonly invite: (token: string) => string
  /** The ping URL of a heartbeat monitor. */
  readonly ping: (token: string) => string
  /** The push URL of a component. */
  readonly push: (token: string) => string
  /** The public status of a page as JSON. */
  readonly publicStatus: (slug: string) => string
  /** The endpoint of a subscription. */
  readonly subscription: (id: string, token: string) => string
  /** The pages to manage, confirm and end a subscription. */
  readonly manageSubscription: (id: string, token: string) => string
  readonly confirmSubscription: (id: string, token: string) => string
  readonly unsubscribe: (id: string, token: string) => string
  /** The page to leave an email channel. */
  readonly leaveChannel: (token: string) => string
  /** The iCalendar feed of an on-call schedule. */
  readonly onCallFeed: (scheduleId: string, token: string) => string
  /** The page to acknowledge the incident of an alert. */
  readonly acknowledge: (token: string) => string
  /** The page of a third party's component. */
  readonly upstream: (topic: { readonly service: string; readonly component: string }) => string
  /** The pages to confirm and end mails about a third party. */
  readonly confirmUpstream: (id: string, token: string) => string
  readonly leaveUpstream: (id: string, token: string) => string
}

export const linksFrom = (baseUrl: string): LinkMaker => {
  const base = withoutTrailing(baseUrl, "/")
  const app = (path: string) => (path === "" ? `${base}/app` : `${base}/app/${path}`)
  return {
    app,
    overview: (workspaceId) => `${app("")}?workspace=${workspaceId}`,
    monitors: (workspaceId, state) => app(`monitors?workspace=${workspaceId}${state === null ? "" : `&state=${state}`}`),
    monitor: (id) => app(`monitors/${id}`),
    incident: (id) => app(`incidents/${id}`),
    page: ({ customDomain, domainVerifiedAt, slug }) =>
      customDomain === null || domainVerifiedAt === null ? `${base}/s/${slug}` : `https://${customDomain}`,
    domainTarget: URL.canParse(base) ? new URL(base).hostname : base,
    claim: (token) => `${base}/claim/${token}`,
    invite: (token) => `${base}/invite/${token}`,
    ping: (token) => `${base}/hb/${token}`,
    push: (token) => `${base}/api/v1/push/${token}`,
    publicStatus: (slug) => `${base}/api/v1/public/pages/${slug}`,
    subscription: (id, token) => `${base}/api/v1/public/subscribers/${id}?token=${token}`,
    manageSubscription: (id, token) => `${base}/subscriptions/${id}/${token}`,
    confirmSubscription: (id, token) => `${base}/subscriptions/${id}/confirm/${token}`,
    unsubscribe: (id, token) => `${base}/subscriptions/${id}/${token}/unsubscribe`,
    leaveChannel: (token) => `${base}/alerts/leave/${token}`,
    onCallFeed: (scheduleId, token) => `${base}/oncall/${scheduleId}/${token}.ics`,
    upstream: ({ component, service }) => `${base}/status/${service}/${component}`,
    confirmUpstream: (id, token) => `${base}/status-alerts/${id}/confirm/${token}`,
    leaveUpstream: (id, token) => `${base}/status-alerts/${id}/unsubscribe/${token}`,
    acknowledge: (token) => `${base}/ack/${token}`
  }
}

/** The links of this deployment. */
export class Links extends Context.Tag("belltower/Links")<Links, LinkMaker>() {}
