/** The one maker of the links that records, events, pages and messages carry. */
import { Context } from "effect"
import { withoutTrailing } from "../domain/TrimText.ts"

/** Makes absolute links from the deployment's public address. */
export interface LinkMaker {
  /** A page of the signed-in app, by its path below it, such as `billing`; its home for an empty one. */
  readonly app: (path: string) => string
  readonly monitor: (id: string) => string
  readonly incident: (id: string) => string
  /** Where visitors find a status page. */
  readonly page: (slug: string) => string
  /** Where a human takes over a workspace that an agent made. */
  readonly claim: (token: string) => string
  /** Where an invited person joins a workspace. */
  readonly invite: (token: string) => string
  /** Where a heartbeat monitor is pinged. */
  readonly ping: (token: string) => string
  /** Where a component's status is pushed to. */
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
