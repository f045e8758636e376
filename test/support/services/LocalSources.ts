/** Servers that speak the protocols of the services that imports read, as their public documentation shows them. */
import { Effect } from "effect"
import { createServer } from "node:http"
import type { Json } from "../program/TestServer.ts"
import { withBody } from "./WithBody.ts"

interface Asked {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
}

interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Json
  /** Closes the connection instead of answering. */
  readonly hangsUp?: boolean
}

/** Answers a path (with its query) or a form; undefined is a 404. */
type Answer = (path: URL, form: URLSearchParams, asked: ReadonlyArray<Asked>) => Reply | undefined

/** A service on loopback. `asked` lists its requests. */
export const localSource = (answer: Answer) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const asked: Array<Asked> = []
      const server = createServer((request, response) => {
        withBody(request, (body) => {
          const url = new URL(request.url ?? "/", "http://source")
          asked.push({
            method: request.method ?? "",
            path: url.pathname + url.search,
            authorization: request.headers.authorization
          })
          const reply = answer(url, new URLSearchParams(body), asked) ?? { status: 404, body: { error: "not found" } }
          if (reply.hangsUp === true) return void request.socket.destroy()
          response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers })
          response.end(JSON.stringify(reply.body))
        })
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const place = server.address()
      const port = typeof place === "object" && place !== null ? place.port : 0
      return { url: `http://127.0.0.1:${port}`, asked, close: () => server.close() }
    }),
    ({ close }) => Effect.sync(close)
  )

/** An account of UptimeRobot by API v3, in two pages of monitors. */
export const robotAccount: Answer = (url) => {
  const lists: Record<string, Json> = {
    "/user/alert-contacts": [
      { id: 901, friendlyName: "Ops hook", type: "Webhook", value: "https://hooks.example.com/ops", status: "Active" },
      { id: 902, friendlyName: "Ada's phone", type: "SMS", value: "+15550100" },
      { id: 903, friendlyName: "Ada's mail", type: "E-mail", value: "ada@acme.example" }
    ],
    "/integrations": [],
    "/psps": [{
      id: 71,
      friendlyName: "Acme &amp; Co",
      customDomain: "status.acme.example",
      isPasswordSet: true,
      monitorIds: [1, 4]
    }],
    "/maintenance-windows": [{ id: 5, friendlyName: "Sunday night" }],
    "/monitor-groups": [{ id: 8, name: "Shop" }]
  }
  if (url.pathname === "/monitors") {
    return url.searchParams.get("cursor") === "2"
      ? {
        body: {
          data: [
            {
              id: 4,
              friendlyName: "Nightly backup",
              type: "HEARTBEAT",
              interval: 86_400,
              gracePeriod: 600,
              assignedAlertContacts: [{ alertContactId: 902 }],
              status: "UP"
            },
            { id: 5, friendlyName: "Router", type: "PING", url: "router.acme.example", interval: 300 }
          ],
          nextLink: null
        }
      }
      : {
        body: {
          data: [
            {
              id: 1,
              friendlyName: "Shop &amp; checkout",
              type: "KEYWORD",
              url: "https://shop.acme.example/health",
              interval: 300,
              timeout: 30,
              keywordType: "ALERT_EXISTS",
              keywordValue: "out of order",
              httpMethodType: "GET",
              customHttpHeaders: { "x-check": "robot" },
              successHttpResponseCodes: ["2xx", "301"],
              config: { sslExpirationPeriodDays: [14, 7] },
              assignedAlertContacts: [{ alertContactId: 901 }, { alertContactId: 902 }],
              tags: [{ id: 3, name: "prod" }],
              groupId: 8,
              status: "PAUSED"
            },
            {
              id: "2",
              friendlyName: "Database",
              type: "PORT",
              url: "db.acme.example",
              port: 5432,
              interval: 60,
              assignedAlertContacts: []
            },
            {
              id: 3,
              friendlyName: "Mail record",
              type: "DNS",
              url: "acme.example",
              interval: 300,
              assignedAlertContacts: [{ alertContactId: 903 }],
              config: { dnsRecords: { MX: ["10 mx.acme.example"], TXT: ["v=spf1"] } }
            }
          ],
          nextLink: "/monitors?cursor=2"
        }
      }
  }
  const found = lists[url.pathname]
  return found === undefined ? undefined : { body: { data: found } }
}

const many = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** An account with so many monitors behind API v2 only, which v3 refuses. */
export const robotAccountV2 = (count: number): Answer => (url, form) => {
  if (!url.pathname.startsWith("/v2/")) return { status: 401, body: { message: "Unauthorized" } }
  const offset = Number(form.get("offset"))
  const limit = Number(form.get("limit"))
  if (form.get("api_key") !== "u1-read-only") return { body: { stat: "fail", error: { type: "invalid_parameter" } } }
  if (url.pathname === "/v2/getMonitors") {
    const monitors = many(count).slice(offset, offset + limit).map((id) => ({
      id,
      friendly_name: `Site ${id}`,
      url: `https://site-${id}.acme.example/`,
      type: 1,
      interval: 86_400,
      timeout: 30,
      status: 0
    }))
    return { body: { stat: "ok", pagination: { offset, limit, total: count }, monitors } }
  }
  return { body: { stat: "ok", pagination: { offset: 0, limit, total: 0 }, offset: 0, total: 0 } }
}

const entry = (id: string, attributes: Json) => ({ id, type: "x", attributes })
const listOf = (data: ReadonlyArray<Json>, next: string | null = null) => ({ body: { data, pagination: { next } } })

/** An account of Better Stack with two pages of monitors. */
export const betterAccount: Answer = (url) => {
  switch (url.pathname) {
    case "/api/v2/monitors":
      return url.searchParams.get("page") === "2"
        ? listOf([entry("12", { url: "8.8.8.8", monitor_type: "dns", request_body: "acme.example", pronounceable_name: "DNS" })])
        : listOf(
          [
            entry("11", {
              url: "https://shop.acme.example",
              pronounceable_name: "Shop",
              monitor_type: "keyword",
              required_keyword: "Add to cart",
              check_frequency: 30,
              request_timeout: 15,
              confirmation_period: 60,
              recovery_period: 0,
              request_headers: [{ id: "1", name: "X-Check", value: "better" }],
              regions: ["us", "eu"],
              monitor_group_id: 3
            })
          ],
          "https://elsewhere.example/api/v2/monitors?page=2"
        )
    case "/api/v2/monitor-groups":
      return listOf([entry("3", { name: "Front" })])
    case "/api/v2/heartbeats":
      return listOf([entry("21", { name: "Backup", period: 3600, grace: 300, paused_at: null })])
    case "/api/v2/heartbeat-groups":
      return listOf([])
    case "/api/v2/status-pages":
      return listOf([entry("31", { company_name: "Acme", subdomain: "acme", custom_domain: null, timezone: "Europe/Berlin" })])
    case "/api/v2/status-pages/31/sections":
      return listOf([entry("41", { name: "Website", position: 0 })])
    case "/api/v2/status-pages/31/resources":
      return listOf([
        entry("51", { resource_type: "Monitor", resource_id: 11, public_name: "Web shop", status_page_section_id: 41 }),
        entry("52", { resource_type: "MonitorGroup", resource_id: 3, public_name: "All of it" })
      ])
    default:
      return undefined
  }
}

/** The public JSON of a status page with an incident that is over, one that goes on, and a window to come. */
export const publicStatuspage: Answer = (url) => {
  const components = [
    { id: "c1", name: "API", status: "partial_outage", position: 2, group_id: "g1", group: false },
    { id: "g1", name: "Core", status: "operational", position: 1, group: true },
    { id: "c2", name: "Website", status: "operational", position: 3, group_id: null, group: false }
  ]
  const incidents = [
    {
      id: "i2",
      name: "API errors",
      status: "identified",
      impact: "major",
      created_at: "2026-11-20T10:00:00.000Z",
      components: [{ id: "c1", status: "partial_outage" }],
      incident_updates: [
        { id: "u3", status: "identified", body: "A bad deploy.", display_at: "2026-11-20T10:20:00.000Z" },
        { id: "u2", status: "investigating", body: "We see errors.", display_at: "2026-11-20T10:00:00.000Z" }
      ]
    },
    {
      id: "i1",
      name: "Slow website",
      status: "resolved",
      impact: "minor",
      created_at: "2026-03-01T08:00:00.000Z",
      resolved_at: "2026-03-01T09:30:00.000Z",
      incident_updates: [
        {
          id: "u1",
          status: "resolved",
          body: "Fast again.",
          display_at: "2026-03-01T09:30:00.000Z",
          affected_components: [{ code: "c2", old_status: "degraded_performance", new_status: "operational" }]
        },
        {
          id: "u0",
          status: "investigating",
          body: "It is slow.",
          display_at: "2026-03-01T08:00:00.000Z",
          affected_components: [{ code: "c2", old_status: "operational", new_status: "degraded_performance" }]
        }
      ]
    }
  ]
  // Nobody moved it on when its time had come.
  const windows = [{
    id: "m1",
    name: "Disk exchange",
    status: "scheduled",
    impact: "maintenance",
    scheduled_for: "2026-02-01T01:00:00.000Z",
    scheduled_until: "2026-02-01T02:00:00.000Z",
    components: [{ id: "c2", status: "operational" }],
    incident_updates: [{ id: "u4", status: "scheduled", body: "We exchange disks.", display_at: "2026-01-30T10:00:00.000Z" }]
  }]
  const page = { id: "p1", name: "Acme Cloud", url: "https://status.acme.example", time_zone: "Etc/UTC" }
  switch (url.pathname) {
    case "/api/v2/summary.json":
      return { body: { page, status: { indicator: "major", description: "Partial outage" }, components, incidents: [] } }
    case "/api/v2/components.json":
      return { body: { page, components } }
    case "/api/v2/incidents.json":
      return { body: { page, incidents } }
    case "/api/v2/scheduled-maintenances.json":
      return { body: { page, scheduled_maintenances: windows } }
    default:
      return undefined
  }
}

/** A page of Atlassian Statuspage by its management API. */
export const managedStatuspage: Answer = (url) => {
  const page = { id: "p1", name: "Acme Cloud", time_zone: "Etc/UTC" }
  switch (url.pathname) {
    case "/v1/pages/p1":
      return { body: page }
    case "/v1/pages/p1/components":
      return { body: [{ id: "c1", name: "API", group_id: "g1", status: "operational", position: 1 }] }
    case "/v1/pages/p1/component-groups":
      return { body: [{ id: "g1", name: "Core", components: ["c1"] }] }
    case "/v1/pages/p1/incidents":
      return { body: [] }
    case "/v1/pages/p1/subscribers":
      return { body: [{ id: "s1" }] }
    default:
      return undefined
  }
}
