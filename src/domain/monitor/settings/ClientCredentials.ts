/** Validates the OAuth client credentials of a monitor: where tokens are fetched, for whom, and with which secret. */
import { Either } from "effect"
import { mask } from "../../../../schema/Mask.ts"
import type { Target } from "../../../../schema/monitor/kinds.ts"
import type { MonitorUpdate, RequestSecrets } from "../../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../../Refusal.ts"
import { orBefore } from "../MonitorKindSpec.ts"
import { keptUrl } from "./MaskedSettings.ts"

export interface ClientCredentials {
  readonly tokenUrl: string | null
  readonly clientId: string | null
  readonly scope: string | null
}

/** null or an empty text clears a setting. */
const textOf = (given: string | null | undefined, before: string | null | undefined): string | null =>
  orBefore(given === "" ? null : given, before)

const tokenUrlRefusal = (url: string): Refusal | null => {
  const { protocol, search, username } = new URL(url)
  const wrong = protocol !== "https:" && protocol !== "http:"
    ? "must begin with https:// or http://"
    : username !== "" || search !== ""
    ? "must not contain credentials or a query"
    : null
  return wrong === null ? null : { path: "tokenUrl", message: `tokenUrl ${wrong}` }
}

/** The credentials after an edit. Without a token URL there are none. */
export const settleClientCredentials = (
  input: MonitorUpdate,
  base: ClientCredentials | null
): Either.Either<ClientCredentials, Refusal> =>
  Either.gen(function*() {
    const given = textOf(input.tokenUrl, base?.tokenUrl)
    const clientId = textOf(input.clientId, base?.clientId)
    const scope = textOf(input.scope, base?.scope)
    if (given === null) {
      const lost = (["clientId", "scope"] as const).find((name) => (input[name] ?? "") !== "")
      if (lost !== undefined) return yield* Either.left({ path: "tokenUrl", message: `${lost} needs tokenUrl` })
      return { tokenUrl: null, clientId: null, scope: null }
    }
    const tokenUrl = yield* keptUrl(given, base?.tokenUrl ?? undefined, "tokenUrl")
    const refused = tokenUrlRefusal(tokenUrl)
    if (refused !== null) return yield* Either.left(refused)
    if (clientId === null) return yield* Either.left({ path: "clientId", message: "clientId is required with tokenUrl" })
    return { tokenUrl, clientId, scope }
  })

/** The secret after an edit. It goes with its client's id. */
export const settleClientSecret = (
  input: MonitorUpdate,
  target: Target,
  kept: RequestSecrets["clientSecret"]
): Either.Either<string | null, Refusal> => {
  if ("clientId" in target && target.clientId !== null) {
    return kept === null || kept === ""
      ? Either.left({
        path: "clientSecret",
        message: "clientSecret is required with clientId",
        hint: "Set tokenUrl to null to remove the client credentials"
      })
      : Either.right(kept)
  }
  return typeof input.clientSecret === "string" && input.clientSecret !== "" && input.clientSecret !== mask
    ? Either.left({ path: "tokenUrl", message: "clientSecret needs tokenUrl and clientId" })
    : Either.right(null)
}
