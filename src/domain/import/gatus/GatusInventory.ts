/** Converts the configuration of Gatus: endpoints, external endpoints and alerting. */
import type { Steps } from "../../tools/Steps.ts"
import { commaList } from "../../tools/text/CommaList.ts"
import { channelInput, cut, makeNotes, monitorInput, type Notes, within } from "../Carry.ts"
import { emptyInventory, type FoundChannel, type FoundMonitor, type Inventory } from "../Inventory.ts"
import { entryOf, listOf, type Loose, namesOf, numberAt, recordOf, recordsOf, textAt } from "../Loose.ts"
import {
  describedBy,
  headersOf,
  heartbeatOf,
  isUrl,
  methodOf,
  pausedIf,
  recordTypeOf,
  tagsOf,
  timingOf,
  unsupported
} from "../MonitorParts.ts"
import { takeInSteps } from "../TakeInSteps.ts"
import { sayUnread } from "../Unread.ts"
import { gatusConditions, secondsOf } from "./GatusConditions.ts"

/** Gatus fills environment variables in when it starts; their values are not in the file. */
const variable = /\$\{?[A-Za-z_]\w*\}?/

const usesVariable = (value: unknown): boolean =>
  typeof value === "string"
    ? variable.test(value)
    : typeof value === "object" && value !== null && Object.values(value).some(usesVariable)

/** Gatus's own name of an endpoint in its addresses. */
const refOf = (endpoint: Loose, name: string): string =>
  [textAt(endpoint, "group") ?? "", name].map((part) => part.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 100))
    .join("_")

/** In seconds. A note says which is none: then the default holds. */
const durationAt = (notes: Notes, from: Loose, name: string): number | null => {
  const given = from[name] ?? ""
  const text = textAt(from, name)
  const seconds = text === null ? null : secondsOf(text)
  if (given !== "" && seconds === null) notes.say(`Its ${name} is no duration, and has the default`)
  return seconds
}

const hostAndPort = (url: string): Loose => {
  const [, host = "", port = ""] = /^[a-z]+:\/\/(\[[^\]]*\]|[^:/]+)(?::(\d+))?/.exec(url) ?? []
  return { host: host.replace(/^\[|\]$/g, ""), port: port === "" ? null : Number(port) }
}

const tlsFields = (endpoint: Loose): Loose => ({
  tlsVerify: recordOf(endpoint["client"])["insecure"] === true ? false : null
})

const httpFields = (notes: Notes, endpoint: Loose): Loose => {
  const client = recordOf(endpoint["client"])
  if (textAt(client, "proxy-url") !== null) notes.say("Its proxy is not carried")
  if (Object.keys(recordOf(client["oauth2"])).length > 0) notes.say("Its OAuth 2 credentials are not carried")
  const isQuery = endpoint["graphql"] === true
  const body = textAt(endpoint, "body")
  return {
    kind: "http",
    url: textAt(endpoint, "url"),
    method: isQuery ? "POST" : methodOf(notes, textAt(endpoint, "method")),
    headers: isQuery
      ? { "content-type": "application/json", ...headersOf(notes, endpoint["headers"]) }
      : headersOf(notes, endpoint["headers"]),
    body: isQuery && body !== null ? JSON.stringify({ query: body }) : body,
    followRedirects: client["ignore-redirect"] === true ? false : null,
    ...tlsFields(endpoint)
  }
}

/** Notes on settings of endpoints that ours do not have. */
const uncarried = (notes: Notes, endpoint: Loose): void => {
  const client = recordOf(endpoint["client"])
  if (textAt(client, "dns-resolver") !== null) notes.say("Its own resolver is not carried")
  if (Object.keys(recordOf(client["tls"])).length > 0) {
    notes.say("Its client certificate is in a file and not carried: set clientCertificate and clientKey")
  }
  if (textAt(client, "tunnel") !== null) notes.say("Its SSH tunnel is not carried")
  if (listOf(endpoint["maintenance-windows"]).length > 0) {
    notes.say("Its maintenance windows are not carried; schedule them again")
  }
  if (recordsOf(endpoint["alerts"]).some((alert) => Object.keys(recordOf(alert["provider-override"])).length > 0)) {
    notes.say("The overrides of its alerts are not carried")
  }
}

const dnsFields = (notes: Notes, endpoint: Loose): Loose | null => {
  const query = recordOf(endpoint["dns"])
  const recordType = recordTypeOf(notes, textAt(query, "query-type"))
  if (recordType === undefined) return null
  return {
    kind: "dns",
    host: textAt(query, "query-name"),
    recordType,
    resolvers: textAt(endpoint, "url") === null ? null : [(textAt(endpoint, "url") ?? "").replace(/:\d+$/, "")]
  }
}

const fieldsOf = (notes: Notes, endpoint: Loose): Loose | null => {
  const url = textAt(endpoint, "url") ?? ""
  const [, scheme = ""] = /^([a-z]+):\/\//.exec(url) ?? []
  if (Object.keys(recordOf(endpoint["dns"])).length > 0) return dnsFields(notes, endpoint)
  if (isUrl(url)) return httpFields(notes, endpoint)
  if (scheme === "tcp") return { kind: "tcp", ...hostAndPort(url) }
  if (scheme === "tls") return { kind: "tcp", tls: true, ...hostAndPort(url), ...tlsFields(endpoint) }
  if (scheme === "icmp") return { kind: "ping", host: hostAndPort(url)["host"] }
  if (scheme === "ws" || scheme === "wss") {
    return {
      kind: "websocket",
      url,
      headers: headersOf(notes, endpoint["headers"]),
      body: textAt(endpoint, "body"),
      ...tlsFields(endpoint)
    }
  }
  return unsupported(scheme === "" ? "Such" : scheme.toUpperCase())(notes)
}

/** The provider of an alert may be in another file of the configuration. */
const alertRefs = (endpoint: Loose): ReadonlyArray<string> => {
  const alerts = recordsOf(endpoint["alerts"]).filter(({ enabled }) => enabled !== false)
  return [...new Set(alerts.flatMap((alert) => textAt(alert, "type") ?? []))].map((type) => `channel:${type}`)
}

/**
 * Gatus counts for each alert; ours for the monitor, so the first alert decides, then its provider's default, then Gatus's. Its
 * failures are an interval apart.
 */
const thresholds = (notes: Notes, endpoint: Loose, alerting: Loose): Loose => {
  const alerts = recordsOf(endpoint["alerts"])
  const [alert] = alerts
  if (alert === undefined) return {}
  const usual = recordOf(recordOf(entryOf(alerting, textAt(alert, "type") ?? ""))["default-alert"])
  const said = (one: Loose, name: string, fallback: number) => numberAt(one, name) ?? numberAt(usual, name) ?? fallback
  const failures = said(alert, "failure-threshold", 3)
  if (alerts.some((one) => (numberAt(one, "failure-threshold") ?? failures) !== failures)) {
    notes.say(`All of its alerts come after ${failures} failures`)
  }
  return {
    failureThreshold: within(notes, "failure-threshold", failures, [1, 10]),
    confirmAfterSec: 0,
    recoveryThreshold: within(notes, "success-threshold", said(alert, "success-threshold", 2), [1, 10])
  }
}

/** The group, and the labels as `name:value`. */
const tagNames = (endpoint: Loose): ReadonlyArray<string> => [
  ...(textAt(endpoint, "group") === null ? [] : [textAt(endpoint, "group") ?? ""]),
  ...Object.entries(recordOf(endpoint["extra-labels"])).map(([name, value]) => `${name}:${String(value)}`)
]

/** Without an interval, a report that stays out cannot be noticed there either. */
const heartbeatFields = (notes: Notes, endpoint: Loose): Loose | null => {
  const heartbeat = recordOf(endpoint["heartbeat"])
  const period = durationAt(notes, heartbeat, "interval")
  if (period !== null || (heartbeat["interval"] ?? "") !== "") {
    return heartbeatOf(notes, { interval: ["interval", period], timeout: ["grace", null] })
  }
  notes.say("It has no heartbeat interval, so a report that stays out cannot be noticed")
  return null
}

const monitorOf = (alerting: Loose, isExternal: boolean) => (endpoint: Loose, index: number): FoundMonitor => {
  const notes = makeNotes()
  const name = textAt(endpoint, "name", "url") ?? `Endpoint ${index + 1}`
  const found = { ref: `monitor:${refOf(endpoint, name)}`, name, channelRefs: alertRefs(endpoint) }
  sayUnread(notes, endpoint, {
    texts: ["name", "group", "url", "method", "body"],
    records: ["client", "heartbeat"],
    lists: ["conditions"],
    rows: { alerts: ["type"] }
  })
  sayUnread(notes, recordOf(endpoint["client"]), { flags: ["ignore-redirect"] })
  sayUnread(notes, recordOf(endpoint["dns"]), { texts: ["query-name", "query-type"] })
  uncarried(notes, endpoint)
  const common = {
    ...describedBy(notes, name),
    tags: tagsOf(notes, tagNames(endpoint)),
    ...pausedIf(endpoint["enabled"] === false)
  }
  if (isExternal) {
    const fields = heartbeatFields(notes, endpoint)
    return { ...found, notes: notes.all, input: fields === null ? null : monitorInput(notes, { ...fields, ...common }) }
  }
  if (usesVariable([endpoint["url"], endpoint["headers"], endpoint["body"], endpoint["dns"]])) {
    return { ...found, notes: ["It uses environment variables; put their values into the document"], input: null }
  }
  const fields = fieldsOf(notes, endpoint)
  if (fields === null) return { ...found, notes: notes.all, input: null }
  const timing = timingOf(notes, {
    interval: ["interval", durationAt(notes, endpoint, "interval")],
    timeout: ["timeout", durationAt(notes, recordOf(endpoint["client"]), "timeout")]
  })
  const conditions = gatusConditions(notes, namesOf(endpoint["conditions"]), textAt(fields, "kind") ?? "")
  const input = monitorInput(notes, { ...conditions, ...fields, ...timing, ...thresholds(notes, endpoint, alerting), ...common })
  return { ...found, notes: notes.all, input }
}

/** The settings of each provider. What is missing here cannot be carried. */
const settings: Readonly<Record<string, (config: Loose) => Loose>> = {
  slack: (config) => ({ url: textAt(config, "webhook-url") }),
  discord: (config) => ({ url: textAt(config, "webhook-url") }),
  teams: (config) => ({ url: textAt(config, "webhook-url") }),
  "teams-workflows": (config) => ({ type: "teams", url: textAt(config, "webhook-url") }),
  pagerduty: (config) => ({ token: textAt(config, "integration-key") }),
  opsgenie: (config) => ({ token: textAt(config, "api-key") }),
  telegram: (config) => ({ botToken: textAt(config, "token"), chatId: textAt(config, "id") }),
  ntfy: (config) => ({ url: textAt(config, "url"), topic: textAt(config, "topic"), token: textAt(config, "token") }),
  email: (config) => ({ emails: commaList(textAt(config, "to") ?? "") })
}

const channelOf = ([type, given]: readonly [string, unknown]): FoundChannel => {
  const notes = makeNotes()
  const found = { ref: `channel:${type}`, name: type }
  const of = entryOf(settings, type)
  if (of === undefined) return { ...found, notes: [`Alerting by "${type}" is not supported`], input: null }
  const fields = of(recordOf(given))
  if (usesVariable(fields)) {
    return { ...found, notes: ["It uses environment variables; put their values into the document"], input: null }
  }
  if (listOf(recordOf(given)["overrides"]).length > 0) notes.say("Its overrides for groups are not carried")
  const input = channelInput(notes, { name: cut(notes, "The name", `Gatus ${type}`, 80), type, ...fields, isDefault: false })
  return { ...found, notes: notes.all, input }
}

const warningsOf = (config: Loose): ReadonlyArray<string> => [
  ...(config["maintenance"] === undefined ? [] : ["The maintenance windows are not carried; schedule them again"]),
  ...(recordsOf(config["suites"]).length === 0 ? [] : ["Suites are not carried; write script monitors"]),
  ...(Object.keys(recordOf(config["remote"])).length === 0 ? [] : ["Remote instances are not carried"]),
  ...(recordsOf(config["announcements"]).length === 0 ? [] : ["Announcements are not carried"])
]

/** Two endpoints of one group and name are one thing to Gatus, too. */
export function* gatusInventory(config: Loose): Steps<Inventory> {
  const alerting = recordOf(config["alerting"])
  const warnings: Array<string> = []
  const own = recordsOf(config["endpoints"] ?? config["services"])
  const endpoints = [...own, ...recordsOf(config["external-endpoints"])]
  return {
    ...emptyInventory,
    channels: yield* takeInSteps("channels", Object.entries(alerting), warnings, channelOf),
    monitors: yield* takeInSteps(
      "monitors",
      endpoints,
      warnings,
      (endpoint, index) => monitorOf(alerting, index >= own.length)(endpoint, index)
    ),
    warnings: [...warnings, ...warningsOf(config)]
  }
}
