/** Fills a workspace with one resource of each kind, and some of each kind to delete, so that generated requests find what they name. */
import { createServer } from "node:http"

/** A target and a receiver that accepts everything and repeats the challenge of a subscription. */
const startReceiver = async () => {
  const server = createServer((request, response) => {
    const parts = []
    request.on("data", (part) => parts.push(part))
    request.on("end", () => {
      const body = Buffer.concat(parts).toString()
      const challenge = /"challenge":\s*"([^"]*)"/.exec(body)?.[1] ?? "ok"
      response.writeHead(200, { "content-type": "text/plain" }).end(challenge)
    })
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${server.address().port}/`, stop: () => server.close() }
}

/** Signs a person in by the claim link, who then owns the workspace: on-call schedules need people. */
const claim = async (claimUrl) => {
  const { origin } = new URL(claimUrl)
  const cookies = new Map()
  const submit = async (url, fields = {}) => {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ")
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { origin, "sec-fetch-site": "same-origin", ...(cookie === "" ? {} : { cookie }) },
      body: new URLSearchParams(fields)
    })
    for (const line of response.headers.getSetCookie()) cookies.set(...line.split(";")[0].split("=", 2))
    return response.text()
  }
  const shown = await submit(`${claimUrl}/email`, { email: "owner@example.com" })
  await submit(`${origin}${/\/auth\/link\/[0-9A-Za-z]{40}/.exec(shown)?.[0] ?? ""}`)
  await submit(claimUrl)
}

/** Resources of each kind that requests may delete. */
const spare = 6

const makers = ({ call, url }, { page, user }) => {
  const named = (kind) => `${kind} ${Math.random().toString(36).slice(2, 8)}`
  return {
    monitors: () => call("POST", "/monitors", { name: named("Monitor"), url, intervalSec: 3600 }),
    pages: () => call("POST", "/pages", { name: named("Page") }),
    components: () => call("POST", `/pages/${page.id}/components`, { name: named("Component") }),
    channels: () => call("POST", "/channels", { name: named("Channel"), type: "webhook", url: `${url}${named("c").slice(2)}` }),
    "incident-templates": () =>
      call("POST", "/incident-templates", { name: named("Template"), title: "{{component}} is slow", body: "We look into it." }),
    "oncall/schedules": () =>
      call("POST", "/oncall/schedules", {
        name: named("Schedule"),
        timezone: "UTC",
        handoffDay: 0,
        handoffTime: "09:00",
        participants: [user]
      }),
    "escalation-policies": (given) =>
      call("POST", "/escalation-policies", {
        name: named("Policy"),
        levels: [{ afterMinutes: 0, targets: [{ type: "channel", id: given.channel.id }] }]
      }),
    mutes: () => call("POST", "/mutes", { tags: [named("t")], durationSec: 3600 }),
    deploys: () => call("POST", "/deploys", { service: "api", version: named("v") }),
    subscribers: () =>
      call("POST", `/public/pages/${page.slug}/subscribers`, { type: "webhook", url: `${url}${named("s").slice(2)}` }),
    incidents: () =>
      call("POST", "/incidents", { title: named("Incident"), message: "We look into it.", pageIds: [page.id], public: true })
  }
}

/** Ids by the prefix that they have, values of other path parameters, and the ids that may be deleted by the path of their kind. */
export const seed = async (base, { apiKey, claimUrl }) => {
  const receiver = await startReceiver()
  const missing = []
  const call = async (method, path, body) => {
    const response = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  /** Reports work that fails in `missing` and goes on. */
  const tried = (what, work) => work.catch((error) => void missing.push(`${what}: ${error.message}`))

  const page = await call("POST", "/pages", { name: "Contract" })
  const component = await call("POST", `/pages/${page.id}/components`, { name: "Reported", push: true })
  const heartbeat = await call("POST", "/monitors", { name: "Job", kind: "heartbeat", periodSec: 3600 })
  await claim(claimUrl)
  const members = await call("GET", "/oncall/members")
  const user = members.data[0]?.id
  const make = makers({ call, url: receiver.url }, { page, user })
  const one = async (kind, given) => tried(kind, make[kind](given))
  const channel = await one("channels")
  const monitor = await one("monitors")
  const checked = await tried("checks", call("POST", `/monitors/${monitor.id}/check`, { apply: true }))
  const checks = await call("GET", `/monitors/${monitor.id}/checks`)
  await tried("deliveries", call("POST", `/channels/${channel.id}/test`))
  const deliveries = await call("GET", "/deliveries")
  const job = await tried("imports", call("POST", "/import", { source: "uptimerobot", apiKey: "none" }))
  const incident = await one("incidents")
  const subscriber = await one("subscribers")
  const found = {
    mon: monitor.id,
    chk: checks.data[0]?.id ?? checked?.id,
    pg: page.id,
    cmp: component.id,
    ch: channel.id,
    inc: incident?.id,
    tpl: (await one("incident-templates"))?.id,
    pol: (await one("escalation-policies", { channel }))?.id,
    sch: (await one("oncall/schedules"))?.id,
    usr: user,
    dep: (await one("deploys"))?.id,
    mute: (await one("mutes"))?.id,
    sub: subscriber?.id,
    dlv: deliveries.data[0]?.id,
    imp: job?.id
  }
  const spares = {}
  /** The manage tokens of subscribers. */
  const tokens = subscriber === undefined ? {} : { [subscriber.id]: subscriber.manageToken }
  for (
    const kind of [
      "monitors",
      "pages",
      "components",
      "channels",
      "incident-templates",
      "oncall/schedules",
      "escalation-policies",
      "deploys",
      "mutes",
      "subscribers"
    ]
  ) {
    const made = []
    for (let index = 0; index < spare; index++) made.push(await one(kind, { channel }))
    spares[kind] = made.flatMap((resource) => resource?.id ?? [])
    for (const resource of made) if (resource?.manageToken !== undefined) tokens[resource.id] = resource.manageToken
  }
  return {
    ids: Object.fromEntries(Object.entries(found).filter(([, id]) => id !== undefined)),
    values: {
      slug: page.slug,
      component: component.key,
      pingToken: heartbeat.pingUrl.split("/").at(-1),
      pushToken: component.pushUrl.split("/").at(-1)
    },
    spares,
    tokens,
    missing: [...new Set(missing)],
    stop: receiver.stop
  }
}
