/** Reads RDAP: the bootstrap registry (RFC 9224) and what a registry says of a domain (RFC 9083). */
import { Option, Schema } from "effect"

const Bootstrap = Schema.parseJson(Schema.Struct({
  services: Schema.Array(Schema.Tuple(Schema.Array(Schema.String), Schema.Array(Schema.String)))
}))

const Domain = Schema.parseJson(Schema.Struct({
  events: Schema.optional(Schema.Array(Schema.Struct({ eventAction: Schema.String, eventDate: Schema.optional(Schema.String) }))),
  status: Schema.optional(Schema.Array(Schema.String))
}))

/** The base addresses of the registries, by suffix in lower case. */
export type Registries = ReadonlyMap<string, string>

const isHttp = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

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
  Option.map(Schema.decodeOption(Domain)(text), ({ events = [], status = [] }) => {
    const date = events.find(({ eventAction }) => eventAction.toLowerCase() === "expiration")?.eventDate ?? ""
    const expiresAt = Date.parse(date)
    return {
      expiresAt: Number.isNaN(expiresAt) ? null : expiresAt,
      status: status.slice(0, mostStatuses).map((one) => one.slice(0, 100).toLowerCase())
    }
  })
