/** A canary: a target that is always up. If a probe cannot reach it, the probe's own network has failed. */
import { Either } from "effect"
import { parsedUrl } from "../../../../schema/UrlText.ts"

export interface Canary {
  readonly host: string
  readonly port: number
}

/** Parses `host:port` or an http(s) URL; the left side describes the error. */
export const parseCanary = (text: string): Either.Either<Canary, string> => {
  const trimmed = text.trim()
  const href = /^https?:\/\//i.test(trimmed) ? trimmed : `tcp://${trimmed}`
  const url = parsedUrl(href)
  const port = url === null ? "" : url.port === "" ? { "http:": "80", "https:": "443" }[url.protocol] ?? "" : url.port
  return url === null || url.hostname === "" || port === "" || Number(port) === 0
    ? Either.left(`"${trimmed}" is not a valid canary; use host:port or an http(s) URL`)
    : Either.right({ host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port) })
}
