/** Converts an Uptime Kuma request to our settings: address, credentials, body and accepted responses. */
import type { Notes } from "../Carry.ts"
import { entryOf, flagAt, jsonAt, type Loose, namesOf, numberAt, textAt } from "../Loose.ts"
import { expectedStatusOf, headersIn, methodOf, tlsPartsOf } from "../MonitorParts.ts"

/** Uptime Kuma warns 21, 14 and 7 days before. */
const certificateDays = 21

/** The type that Uptime Kuma sends with a body. */
const bodyTypes: Readonly<Record<string, string>> = {
  json: "application/json",
  xml: "text/xml; charset=utf-8",
  form: "application/x-www-form-urlencoded"
}

const hasHeader = (headers: Readonly<Record<string, string>>, name: string): boolean =>
  Object.keys(headers).some((one) => one.toLowerCase() === name)

/** Uptime Kuma sends no reminder of a certificate whose errors it ignores. */
export const ignoresTls = (monitor: Loose): boolean => flagAt(monitor, "ignore_tls") || flagAt(monitor, "ignoreTls")

const tlsFields = (notes: Notes, monitor: Loose): Loose => ({
  tlsVerify: ignoresTls(monitor) ? false : null,
  ...(textAt(monitor, "auth_method") === "mtls"
    ? tlsPartsOf(notes, {
      ca: textAt(monitor, "tls_ca", "tlsCa"),
      certificate: textAt(monitor, "tls_cert", "tlsCert"),
      key: textAt(monitor, "tls_key", "tlsKey")
    })
    : {})
})

const authorization = (notes: Notes, monitor: Loose): Readonly<Record<string, string>> => {
  const method = textAt(monitor, "auth_method")
  if (method === null || method === "none" || method === "mtls") return {}
  const user = textAt(monitor, "basic_auth_user")
  if (method === "basic" && user !== null) {
    const credentials = `${user}:${textAt(monitor, "basic_auth_pass") ?? ""}`
    return { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` }
  }
  notes.say(`Its credentials (${method}) are not carried`)
  return {}
}

const headersFor = (notes: Notes, monitor: Loose, body: string | null) => {
  const own = headersIn(notes, monitor, "headers") ?? {}
  const type = entryOf(bodyTypes, textAt(monitor, "http_body_encoding", "httpBodyEncoding") ?? "json")
  const all = {
    ...(body === null || type === undefined || hasHeader(own, "content-type") ? {} : { "content-type": type }),
    ...(hasHeader(own, "authorization") ? {} : authorization(notes, monitor)),
    ...own
  }
  return Object.keys(all).length === 0 ? null : all
}

/** Notes on settings that ours lack. */
const uncarried = (notes: Notes, monitor: Loose): void => {
  if (numberAt(monitor, "proxy_id", "proxyId") !== null) notes.say("Its proxy is not carried")
  if (flagAt(monitor, "cache_bust") || flagAt(monitor, "cacheBust")) notes.say("Nothing is added to its address against caches")
  const family = textAt(monitor, "ip_family", "ipFamily")
  if (family !== null) notes.say(`It uses the addresses that its host has, not only ${family}`)
}

export const kumaRequest = (notes: Notes, monitor: Loose): Loose => {
  const redirects = numberAt(monitor, "maxredirects")
  const body = textAt(monitor, "body")
  const method = textAt(monitor, "method")
  uncarried(notes, monitor)
  return {
    kind: "http",
    url: textAt(monitor, "url"),
    method: methodOf(notes, method),
    headers: headersFor(notes, monitor, body),
    body,
    followRedirects: redirects === 0 ? false : null,
    expectedStatus: expectedStatusOf(notes, namesOf(jsonAt(monitor, "accepted_statuscodes_json"))),
    ...tlsFields(notes, monitor),
    sslExpiryDays:
      flagAt(monitor, "expiry_notification") && !ignoresTls(monitor) && (textAt(monitor, "url") ?? "").startsWith("https:")
        ? certificateDays
        : null
  }
}
