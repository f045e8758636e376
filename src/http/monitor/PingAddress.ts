/** Reads the addresses that jobs ping. A job may have written any part after the token, so no part of it is refused. */
import { Option } from "effect"
import { withoutTrailing } from "../../domain/tools/text/TrimText.ts"

/** The addresses of this service, and those that clients of Healthchecks have. */
export type PingForm = "hb" | "ping"

const forms: ReadonlyArray<PingForm> = ["hb", "ping"]

/** In the router's syntax, which serves none of them. GET reports a failure too: it is curl's default method. */
export const pingRoutes = forms.flatMap((form) =>
  [`/${form}/:token`, `/${form}/:token/*`].flatMap((path) => ["GET", "POST"].map((method) => ({ method, path })))
)

export interface PingAddress {
  readonly form: PingForm
  /** The pattern that metrics and traces name. */
  readonly route: string
  readonly token: string
  /** The path after the token, decoded; null if nothing follows. */
  readonly suffix: string | null
  /** Without its question mark; null if there is none. */
  readonly query: string | null
}

const decodes = Option.liftThrowable(decodeURIComponent)

/** Escapes that are none stay as they are. */
const decoded = (text: string): string => (text.includes("%") ? Option.getOrElse(decodes(text), () => text) : text)

/** Without the scheme and the host of a target in absolute form, and with a decoded first segment. */
const plainTarget = (target: string): string => {
  const path = target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*/i, "")
  const first = path.indexOf("%")
  return first === -1 || path.indexOf("/", 1) < first ? path : path.replace(/^\/[^/?#]*/, decoded)
}

const endOfPath = (target: string): number => {
  const end = target.search(/[?#]/)
  return end === -1 ? target.length : end
}

/** Null for an address of something else. */
export const pingAddress = (url: string): PingAddress | null => {
  const target = plainTarget(url)
  const form = target.startsWith("/hb/") ? "hb" : target.startsWith("/ping/") ? "ping" : null
  if (form === null) return null
  const end = endOfPath(target)
  const path = target.slice(form.length + 2, end)
  const slash = path.indexOf("/")
  const query = target.charAt(end) === "?" ? target.slice(end + 1) : null
  if (slash === -1) return { form, route: `/${form}/:token`, token: decoded(path), suffix: null, query }
  const suffix = withoutTrailing(decoded(path.slice(slash + 1)), "/") || null
  return { form, route: `/${form}/:token/*`, token: decoded(path.slice(0, slash)), suffix, query }
}
