/** Local servers that speak the protocols of paging services: the alerts that they have, and what was asked of them. */
import type { ServerResponse } from "node:http"
import type { Received } from "./Receiver.ts"

/** An action and the key of its alert. */
type Asked = readonly [action: string, key: string]

/** The Events API v2 with one integration: the state of each alert by its deduplication key. Answers 503 while `isAway`. */
export const eventsApi = () => {
  const alerts = new Map<string, string>()
  const changes: Array<string> = []
  const history: Array<Asked> = []
  const api = { isAway: false }
  const states = { trigger: "triggered", acknowledge: "acknowledged", resolve: "resolved" } as Record<string, string>
  const respond = (response: ServerResponse, _: number, { body, path }: Received): void => {
    const event = JSON.parse(body)
    const answer = (status: number) => void response.writeHead(status).end("{}")
    if (api.isAway) return answer(503)
    if (event.routing_key !== "R0UT1NG") return answer(400)
    if (path === "/v2/change/enqueue") {
      changes.push(event.payload.summary)
      return answer(202)
    }
    const state = states[event.event_action]
    const isKnown = ["critical", "warning", "error", "info"].includes(event.payload?.severity)
    if (path !== "/v2/enqueue" || state === undefined || !isKnown || event.payload.summary.length > 1024) return answer(400)
    history.push([event.event_action, event.dedup_key])
    alerts.set(event.dedup_key, state)
    return answer(202)
  }
  return Object.assign(api, { alerts, changes, history, respond })
}

/** The alert API of Opsgenie: aliases of open alerts, and notes. Answers 503 while `isAway`. */
export const alertApi = () => {
  const open = new Map<string, string>()
  const notes: Array<readonly [alias: string, note: string]> = []
  const history: Array<Asked> = []
  const api = { isAway: false }
  const respond = (response: ServerResponse, _: number, { body, headers, path }: Received): void => {
    const answer = (status: number) => void response.writeHead(status).end("{}")
    if (api.isAway) return answer(503)
    if (headers.authorization !== "GenieKey k3y") return answer(403)
    const url = new URL(path, "http://x")
    const [, encoded, action] = /^\/v2\/alerts\/([^/]+)\/(close|acknowledge|notes)$/.exec(url.pathname) ?? []
    if (encoded !== undefined && action !== undefined && url.searchParams.get("identifierType") === "alias") {
      const alias = decodeURIComponent(encoded)
      if (action === "close") open.delete(alias)
      else if (action === "notes") notes.push([alias, JSON.parse(body).note])
      else open.set(alias, "acknowledged")
      if (action !== "notes") history.push([action, alias])
      return answer(202)
    }
    const alert = JSON.parse(body)
    if (url.pathname !== "/v2/alerts" || alert.message.length > 130 || !/^P[1-5]$/.test(alert.priority)) return answer(422)
    history.push(["create", alert.alias])
    open.set(alert.alias, "open")
    return answer(202)
  }
  return Object.assign(api, { open, notes, history, respond })
}
