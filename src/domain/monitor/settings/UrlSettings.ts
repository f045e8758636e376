/** Validates the URL of a monitor: the schemes of its kind, and no credentials. */
import { Either } from "effect"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { MonitorKind } from "../../../../schema/monitor/MonitorKind.ts"
import { parsedUrl } from "../../../../schema/UrlText.ts"
import { keptUrl } from "./MaskedSettings.ts"

/** The spellings of a URL in texts: as given, normalized, and its host with and without the port. */
export const urlTexts = (url: string): ReadonlyArray<string> => {
  const parsed = parsedUrl(url)
  if (parsed === null) return [url]
  const { host, hostname, href } = parsed
  return [url, href, href.replace(/\/$/, ""), host, hostname]
}

/** A URL after an edit. `schemes` are those of the kind, without the colon. */
export const settleUrl = (input: MonitorUpdate, base: string | undefined, kind: MonitorKind, schemes: ReadonlyArray<string>) =>
  Either.gen(function*() {
    const given = input.url ?? base
    if (given === undefined) {
      const hint = "For example: https://example.com/health"
      return yield* Either.left({ path: "url", message: `url is required for ${kind} monitors`, hint })
    }
    const url = yield* keptUrl(given, base)
    const { password, protocol, username } = new URL(url)
    if (!schemes.includes(protocol.slice(0, -1))) {
      return yield* Either.left({ path: "url", message: `The url of ${kind} monitors begins with ${schemes.join(":// or ")}://` })
    }
    if (username !== "" || (password !== "" && input.url !== undefined)) {
      return yield* Either.left({
        path: "url",
        message: "url must not contain credentials",
        hint: "Put them in headers, which are stored encrypted: Authorization: Basic ..."
      })
    }
    return url
  })
