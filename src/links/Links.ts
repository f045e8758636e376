/** Builds every link that records, events, pages and messages contain. */
import { Context } from "effect"
import { withoutTrailing } from "../domain/TrimText.ts"

/** Builds absolute links from the deployment's public address. */
export interface LinkMaker {
  /** A page of the signed-in app. `path` is relative to the app, such as `billing`; an empty path gives the app's home page. */
  readonly app: (path: string) => string
  readonly monitor: (id: string) => string
  readonly incident: (id: string) => string
  /** The public address of a status page. */
  readonly page: (slug: string) => string
  /** Where a human claims a workspace that an agent created. */
  readonly claim: (token: string) => string
  /** Where an invited person accepts the invitation. */
  readonly invite: (token: string) => string
  /** The ping URL of a heartbeat monitor. */
  readonly ping: (token: string) => string
  /** The push URL of a component. */
  readonly push: (token: string) => string
}

export const linksFrom = (baseUrl: string): LinkMaker => {
  const base = withoutTrailing(baseUrl, "/")
  const app = (path: string) => (path === "" ? `${base}/app` : `${base}/app/${path}`)
  return {
    app,
    monitor: (id) => app(`monitors/${id}`),
    incident: (id) => app(`incidents/${id}`),
    page: (slug) => `${base}/s/${slug}`,
    claim: (token) => `${base}/claim/${token}`,
    invite: (token) => `${base}/invite/${token}`,
    ping: (token) => `${base}/hb/${token}`,
    push: (token) => `${base}/api/v1/push/${token}`
  }
}

/** The links of this deployment. */
export class Links extends Context.Tag("belltower/Links")<Links, LinkMaker>() {}
