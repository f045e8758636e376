/** A canary: a target that is always there, by which a probe tells its own network's failures from others'. */
import { Either } from "effect"

export interface Canary {
  readonly host: string
  readonly port: number
}

/** Reads `host:port` or an http(s) URL; on the left what is wrong with it. */
export const parseCanary = (text: string): Either.Either<Canary, string> => {
  const written = text.trim()
  const href = /^https?:\/\//i.test(written) ? written : `tcp://${written}`
  const url = URL.canParse(href) ? new URL(href) : null
  const port = url === null ? "" : url.port === "" ? { "http:": "80", "https:": "443" }[url.protocol] ?? "" : url.port
  return url === null || url.hostname === "" || port === "" || Number(port) === 0
    ? Either.left(`"${written}" is no canary; write host:port or a URL`)
    : Either.right({ host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port) })
}
