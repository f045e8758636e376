/** Completes addresses as people type them: `example.com` to a URL, a pasted URL to its host, and spaces around an email address. */
import { Either } from "effect"

/** `https:`, but not `localhost:8080`. */
const scheme = /^[a-z][a-z0-9+.-]*:(?!\d{1,5}(?:[/?#]|$))/i

/** A host with an optional port, and what follows. */
const hosted = /^(\[[0-9a-f:.]+\]|[\p{L}\p{N}_.-]+)(?::(\d{1,5}))?(?=[/?#]|$)/iu

const numeric = /^(?:\[.*\]|\d{1,3}(?:\.\d{1,3}){3})$/

const ofThisNetwork = /^localhost$|\.(?:localhost|local|internal|lan|home\.arpa)$/i

/** Plain where certificates are unusual: addresses without a name, and names of this machine or network. A usual port decides. */
const isPlain = (host: string, port: string | undefined): boolean =>
  port === "443" || port === "80"
    ? port === "80"
    : numeric.test(host) || ofThisNetwork.test(host) || !host.includes(".")

const completedWith = (secure: string, plain: string) => (text: string): string => {
  const given = text.trim()
  if (scheme.test(given)) return given
  const address = given.replace(/^\/\//, "")
  const [found, host = "", port] = hosted.exec(address) ?? []
  if (found === undefined) return given
  // A single word is an address only if something else says so.
  const isWord = !host.includes(".") && !numeric.test(host) && port === undefined && !ofThisNetwork.test(host)
  return isWord ? given : `${isPlain(host, port) ? plain : secure}://${address}`
}

/** An address as a URL. What is no address stays as it is, to be refused. */
export const completedUrl = completedWith("https", "http")

export const completedSocket = completedWith("wss", "ws")

/** The host of a pasted URL; of anything else, what stands before a path, in lower case. */
export const hostOf = (text: string): string => {
  const given = text.trim()
  const [, rest] = /^[a-z][a-z0-9+.-]*:\/\/(.*)$/i.exec(given) ?? []
  const typed = (rest ?? given).split(/[/?#]/, 1)[0] ?? ""
  const host = rest === undefined
    ? typed
    : Either.getOrElse(Either.try(() => new URL(`http://${rest}`).hostname), () => typed)
  return host.replace(/\.$/, "").toLowerCase()
}
