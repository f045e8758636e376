// Fills the demo's workspace over the API, as a person would: monitors of each kind, channels, pages in each preset, on-call.

const script = `await step("shop answers", async () => {
  const page = await http.get("SHOP_URL")
  assert.equal(page.status, 200)
})
await step("API is ok", async () => {
  const api = await http.get("API_URL")
  assert.equal((await api.json()).status, "ok")
})`

const journey = `await step("open the shop", async () => {
  await page.goto("SHOP_URL")
  assert.equal(await page.title(), "Acme Shop")
})
await step("press Buy", () => page.click("#buy"))`

/** The monitors, by a short name. */
const monitorsFor = ({ dnsPort, grpcPort, tcpPort, webPort }) => {
  const web = `http://127.0.0.1:${webPort}`
  const filled = (code) => code.replaceAll("SHOP_URL", `${web}/shop`).replaceAll("API_URL", `${web}/api`)
  return {
    shop: { name: "Shop", url: `${web}/shop`, keyword: "Welcome", intervalSec: 30, tags: ["shop", "web"] },
    api: {
      name: "Public API",
      url: `${web}/api`,
      intervalSec: 30,
      tags: ["api"],
      assertions: [{ source: "json", path: "status", op: "eq", value: "ok" }]
    },
    checkout: { name: "Checkout", url: `${web}/checkout`, intervalSec: 10, failureThreshold: 2, tags: ["shop", "payments"] },
    search: { name: "Search", url: `${web}/search`, intervalSec: 20, degradedAfterMs: 500, tags: ["api"] },
    mail: { name: "Mail server", kind: "tcp", host: "127.0.0.1", port: tcpPort, tags: ["mail"] },
    dns: {
      name: "acme.example",
      kind: "dns",
      host: "acme.example",
      recordType: "A",
      expected: ["192.0.2.10"],
      resolvers: ["127.0.0.1"],
      port: dnsPort,
      tags: ["dns"]
    },
    providers: { name: "Payment providers", kind: "manifest", url: `${web}/status.json`, tags: ["payments"] },
    steps: { name: "Order by script", kind: "script", code: filled(script), intervalSec: 60, tags: ["shop"] },
    journey: { name: "Shop in a browser", kind: "browser", code: filled(journey), intervalSec: 120, tags: ["shop"] },
    rpc: { name: "Inventory", kind: "grpc", host: "127.0.0.1", port: grpcPort, tls: false, tags: ["internal"] },
    socket: { name: "Live prices", kind: "websocket", url: `ws://127.0.0.1:${webPort}/socket`, tags: ["web"] },
    ping: { name: "Gateway", kind: "ping", host: "127.0.0.1", tags: ["network"] },
    domain: { name: "Registration of acme.example", kind: "domain", host: "acme.example", tags: ["dns"] },
    backup: { name: "Nightly backup", kind: "heartbeat", periodSec: 120, graceSec: 60, tags: ["jobs"] },
    invoices: { name: "Invoice run", kind: "heartbeat", periodSec: 300, graceSec: 120, tags: ["jobs", "payments"] }
  }
}

const presets = ["midnight", "grid", "daylight", "paper"]

const componentsOf = (monitors) => [
  { name: "Shop", group: "Storefront", monitorIds: [monitors.shop], showResponseTimes: true },
  { name: "Checkout", group: "Storefront", monitorIds: [monitors.checkout], showResponseTimes: true },
  { name: "Search", group: "Storefront", monitorIds: [monitors.search] },
  { name: "API", group: "Platform", monitorIds: [monitors.api], showResponseTimes: true },
  { name: "Mail", group: "Platform", monitorIds: [monitors.mail] },
  { name: "Payments", group: "Platform", manifest: { monitorId: monitors.providers, key: "payments" } },
  { name: "Backups", group: "Internal", monitorIds: [monitors.backup] }
]

const templates = [
  {
    name: "Slow component",
    title: "{{component}} is slow",
    body: "{{component}} has been slow for {{duration}}. We are looking into it.",
    status: "investigating",
    impact: "minor",
    componentStatus: "degraded"
  },
  {
    name: "Cause found",
    title: "{{component}} is unavailable",
    body: "We have found the cause and are deploying a fix.",
    status: "identified",
    impact: "major",
    componentStatus: "major_outage"
  }
]

const keys = [
  { name: "Grafana", scopes: ["read"], expiresInDays: 365 },
  { name: "Deploy pipeline", scopes: ["write"], operations: ["create_deploy", "schedule_maintenance"], expiresInDays: 90 }
]

/** Makes everything; resolves to the ids. `say` receives reports of what this machine cannot do. */
export const fillWorkspace = async (call, ports, sinkUrl, say) => {
  const channel = await call("POST", "/channels", { name: "Team webhook", type: "webhook", url: sinkUrl })
  await call("POST", "/channels", { name: "On-call mail", type: "email", emails: ["oncall@acme.example"], isDefault: false })
  const monitors = {}
  for (const [key, input] of Object.entries(monitorsFor(ports))) {
    const made = await call("POST", "/monitors", { ...input, channelIds: [channel.id] }, [422, 403])
    if (made.error === undefined) monitors[key] = made.id
    else say(`${input.name} is left out: ${made.error.message}`)
  }
  const pages = []
  for (const preset of presets) {
    const page = await call("POST", "/pages", {
      name: preset === "daylight" ? "Acme" : `Acme, ${preset}`,
      description: "The state of the shop and its API",
      theme: { preset },
      settings: { showResponseTimes: true }
    })
    for (const component of componentsOf(monitors)) await call("POST", `/pages/${page.id}/components`, component)
    pages.push(await call("GET", `/pages/${page.id}`))
  }
  const { data: people } = await call("GET", "/oncall/members")
  const schedule = await call("POST", "/oncall/schedules", {
    name: "Platform",
    timezone: "Europe/Berlin",
    handoffDay: 0,
    handoffTime: "09:00",
    participants: people.map(({ id }) => id)
  })
  await call("POST", "/escalation-policies", {
    name: "Platform",
    levels: [
      { afterMinutes: 0, targets: [{ type: "schedule", id: schedule.id }] },
      { afterMinutes: 10, targets: [{ type: "channel", id: channel.id }] }
    ]
  })
  for (const template of templates) await call("POST", "/incident-templates", template)
  for (const key of keys) await call("POST", "/api-keys", key)
  const inDays = (days, hours = 0) => new Date(Date.now() + days * 86_400_000 + hours * 3_600_000).toISOString()
  await call("POST", "/maintenance", {
    title: "Database upgrade",
    message: "Checkout is unavailable for some minutes while we upgrade.",
    scheduledStart: inDays(3),
    scheduledEnd: inDays(3, 2),
    pageIds: [pages[2].id],
    componentIds: pages[2].components.filter(({ name }) => name === "Checkout").map(({ id }) => id)
  })
  await call("PATCH", "/workspace", { name: "Acme", timezone: "Europe/Berlin" })
  for (const back of [1, 4, 9, 16, 25]) {
    await call("POST", "/deploys", {
      version: `2026.${40 - back}`,
      environment: "production",
      description: "Release of the shop",
      monitorIds: [monitors.shop, monitors.checkout],
      at: inDays(-back)
    })
  }
  return { monitors, pages }
}
