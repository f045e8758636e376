/** Reads RDAP, of the bootstrap registry (RFC 9224) and of a domain (RFC 9083), and judges the registration. */
import { Option, Schema } from "effect"
import type { DomainTarget } from "../../../../schema/monitor/kinds/domain.ts"
import { webUrl } from "../../../../schema/UrlText.ts"
import { counted } from "../../tools/text/Counted.ts"
import { type CheckVerdict, failing, verdictOf } from "./CheckVerdict.ts"

const Bootstrap = Schema.parseJson(Schema.Struct({
  services: Schema.Array(Schema.Tuple(Schema.Array(Schema.String), Schema.Array(Schema.String)))
}))

const text = Schema.optional(Schema.NullOr(Schema.String))

/** Registries send null for what they do not publish. */
const Domain = Schema.parseJson(Schema.Struct({
  events: Schema.optional(Schema.NullOr(Schema.Array(Schema.Struct({ eventAction: text, eventDate: text })))),
  status: Schema.optional(Schema.NullOr(Schema.Array(Schema.String)))
}))

/** The base addresses of the registries, by suffix in lower case. */
export type Registries = ReadonlyMap<string, string>

const isHttp = (url: string): boolean => webUrl(url) !== null

const withSlash = (url: string): string => (url.endsWith("/") ? url : `${url}/`)

/** None if the text is no bootstrap registry. Of several addresses of a registry an encrypted one is taken. */
export const readBootstrap = (text: string): Option.Option<Registries> =>
  Option.map(Schema.decodeOption(Bootstrap)(text), ({ services }) =>
    new Map(services.flatMap(([suffixes, urls]) => {
      const usable = urls.filter(isHttp)
      const url = usable.find((one) => one.startsWith("https:")) ?? usable[0]
      return url === undefined ? [] : suffixes.map((suffix) => [suffix.toLowerCase(), withSlash(url)] as const)
    })))

/** The registry of the longest suffix of a domain that has one; null if none has. */
export const registryOf = (registries: Registries, domain: string): string | null => {
  const labels = domain.toLowerCase().split(".")
  for (let from = 1; from < labels.length; from++) {
    const found = registries.get(labels.slice(from).join("."))
    if (found !== undefined) return found
  }
  return null
}

/** A registry's record of a domain. Times are in ms since 1970. */
export interface Registration {
  /** Null if the registry does not publish it. */
  readonly expiresAt: number | null
  readonly status: ReadonlyArray<string>
}

const mostStatuses = 20

/** None if the text is no RDAP domain. */
export const readDomain = (text: string): Option.Option<Registration> =>
  Option.map(Schema.decodeOption(Domain)(text), ({ events, status }) => {
    const date = events?.find(({ eventAction }) => eventAction?.toLowerCase() === "expiration")?.eventDate ?? ""
    const expiresAt = Date.parse(date)
    return {
      expiresAt: Number.isNaN(expiresAt) ? null : expiresAt,
      status: (status ?? []).slice(0, mostStatuses).map((one) => one.slice(0, 100).toLowerCase())
    }
  })

const day = 86_400_000

/** The result of the query to the registry. `Unknown`: it failed, for this reason. */
export type DomainAnswer =
  | { readonly _tag: "Registered"; readonly registration: Registration }
  | { readonly _tag: "NotRegistered" }
  | { readonly _tag: "Unknown"; readonly reason: string }

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** Some registries write a status in one word, as EPP does. */
const isOneOf = (statuses: ReadonlyArray<string>) => (status: string): boolean => statuses.includes(status.replaceAll(" ", ""))

/** The registry takes the domain away unless its owner acts (RFC 3915). */
const isLapsing = isOneOf(["redemptionperiod", "pendingdelete"])

/** The domain is taken out of DNS (RFC 8056), as after its end, while the registry already shows that of the next term. */
const isHeld = isOneOf(["clienthold", "serverhold"])

const unknown = (error: string): CheckVerdict => ({ outcome: "degraded", cause: "domain_unknown", error, assertions: [] })

/** A registry that cannot be asked says nothing of the domain, which need not be down. */
export const judgeDomain = ({ expiryDays, host }: DomainTarget, answer: DomainAnswer, now: number): CheckVerdict => {
  if (answer._tag === "Unknown") return unknown(`The expiry of ${host} is not known: ${answer.reason}`)
  if (answer._tag === "NotRegistered") {
    return failing("domain_expired", `${host} is not registered, or is not the name that was registered, such as example.com`)
  }
  const { expiresAt, status } = answer.registration
  const lapsing = status.find(isLapsing)
  if (lapsing !== undefined) return failing("domain_expired", `The registration of ${host} has lapsed (${lapsing})`)
  if (expiresAt !== null && expiresAt <= now) {
    return failing("domain_expired", `The registration of ${host} expired on ${dateOf(expiresAt)}`)
  }
  const held = status.find(isHeld)
  if (held !== undefined) {
    return failing("dns_error", `The registration of ${host} is on hold (${held}), so its name does not resolve`)
  }
  if (expiresAt === null) return unknown(`The registry does not publish when ${host} expires`)
  const daysLeft = Math.floor((expiresAt - now) / day)
  const error = `The registration of ${host} expires on ${dateOf(expiresAt)}, in ${
    counted(daysLeft, "day")
  }; expected more than ${expiryDays}`
  return verdictOf([expiresAt - now <= expiryDays * day ? { severity: "degraded", cause: "domain_expiry", error } : null])
}
