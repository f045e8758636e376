/** The links that records, events and messages carry. */
import { Context } from "effect"

/** Makes absolute links from the deployment's public address. */
export interface LinkMaker {
  readonly monitor: (id: string) => string
  readonly incident: (id: string) => string
}

export const linksFrom = (baseUrl: string): LinkMaker => {
  const base = baseUrl.replace(/\/+$/, "")
  return {
    monitor: (id) => `${base}/app/monitors/${id}`,
    incident: (id) => `${base}/app/incidents/${id}`
  }
}

/** The links of this deployment. */
export class Links extends Context.Tag("belltower/Links")<Links, LinkMaker>() {}
