/** Validates the host of a monitor: a name or an address, without scheme, port or path. */
import { Either } from "effect"
import { isIP } from "node:net"
import { asciiHost } from "../../../../schema/HostName.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { MonitorKind } from "../../../../schema/monitor/MonitorKind.ts"
import type { Refusal } from "../../Refusal.ts"

const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, "$1")

/** Whether DNS can carry a name (RFC 1035, section 2.3.4). The root is empty. */
const isCarried = (name: string): boolean =>
  name.length <= 253 && (name === "" || name.split(".").every(({ length }) => length > 0 && length <= 63))

/** A host as it is looked up: without brackets, with international names in ASCII; null if it is none. */
export const lookupName = (host: string): string | null => {
  const bare = withoutBrackets(host.trim())
  if (isIP(bare) !== 0) return bare
  const name = asciiHost(bare)
  return name !== null && isCarried(name) ? name : null
}

export const missingSetting = (path: "host" | "port", kind: MonitorKind): Refusal => ({
  path,
  message: `${path} is required for ${kind} monitors`,
  hint: path === "host" ? "For example: db.example.com" : "For example: 5432"
})

export const hostRefusal = (host: string): Refusal | null =>
  lookupName(host) === null
    ? {
      path: "host",
      message: `"${host.slice(0, 100)}" is not a host name or an IP address`,
      hint: "Give it without scheme, port or path, for example db.example.com"
    }
    : null

/** The host and port of a monitor after an edit. */
export const settleEndpoint = (
  input: MonitorUpdate,
  base: { readonly host: string; readonly port: number } | null,
  kind: MonitorKind
): Either.Either<{ readonly host: string; readonly port: number }, Refusal> => {
  const host = input.host ?? base?.host
  const port = input.port ?? base?.port
  if (host === undefined) return Either.left(missingSetting("host", kind))
  if (port === undefined) return Either.left(missingSetting("port", kind))
  const refused = hostRefusal(host)
  return refused === null ? Either.right({ host, port }) : Either.left(refused)
}

export const hostTexts = (host: string, port: number | null): ReadonlyArray<string> => {
  const bare = withoutBrackets(host.trim())
  const names = [...new Set([host, bare, lookupName(host) ?? bare])]
  return port === null ? names : [...names.map((name) => `${name}:${port}`), `[${bare}]:${port}`, ...names]
}
