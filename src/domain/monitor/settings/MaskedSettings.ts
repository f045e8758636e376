/** Masks the secrets of a monitor's requests in records, and restores the stored ones when a client sends the mask back. */
import { Either } from "effect"
import { mask } from "../../../../schema/Mask.ts"
import type { MonitorUpdate, RequestSecrets } from "../../../../schema/monitor/Monitor.ts"
import type { Viewer } from "../../access/WritingUrls.ts"
import type { Refusal } from "../../Refusal.ts"
import { holdsSecret, isSecretHeader } from "../../secret/HeldSecrets.ts"
import { maskUrl } from "../../secret/UrlSecrets.ts"

/** How much of a request its viewer sees: who may edit the monitor sees all but credentials, others only names. */
export type View = "writer" | "reader"

/** A delegated key that may only run or read sees a monitor as readers do. */
export const viewOf = ({ operations, scopes }: Viewer): View =>
  scopes.includes("write") && (operations === null || operations.has("update_monitor")) ? "writer" : "reader"

/** Facts about sealed values that are known without opening them. */
interface SecretOutline {
  readonly headerNames: ReadonlyArray<string>
  readonly hasBody: boolean
  readonly hasClientKey: boolean
  readonly hasClientSecret: boolean
}

/** The sealed values as a list shows them: they stay sealed. */
export const outlinedSecrets = ({ hasBody, hasClientKey, hasClientSecret, headerNames }: SecretOutline): RequestSecrets => ({
  headers: Object.fromEntries(headerNames.map((name) => [name, mask])),
  body: hasBody ? mask : null,
  clientKey: hasClientKey ? mask : null,
  clientSecret: hasClientSecret ? mask : null
})

/** The sealed values as a record shows them. Nobody sees a credential again, so a leaked key to Belltower leaks no others. */
export const shownSecrets = (view: View, { body, clientKey, clientSecret, headers }: RequestSecrets): RequestSecrets => {
  const outline = outlinedSecrets({
    headerNames: Object.keys(headers),
    hasBody: body !== null,
    hasClientKey: clientKey !== null,
    hasClientSecret: clientSecret !== null
  })
  return view === "reader" ? outline : {
    ...outline,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name, value) ? mask : value])
    ),
    body: body !== null && holdsSecret(body) ? mask : body
  }
}

const refusal = (path: string): Refusal => ({
  path,
  message: `${path} contains ${mask}, which only stands for a stored secret, and none is stored here`,
  hint: "Send the real value"
})

const storedHeader = (stored: RequestSecrets, name: string): string | undefined =>
  stored.headers[name] ??
    Object.entries(stored.headers).find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1]

const keptHeaders = (
  given: RequestSecrets["headers"],
  stored: RequestSecrets
): Either.Either<RequestSecrets["headers"], Refusal> =>
  Either.map(
    Either.all(
      Object.entries(given).map(([name, value]) => {
        if (!value.includes(mask)) return Either.right([name, value] as const)
        const kept = value === mask ? storedHeader(stored, name) : undefined
        return kept === undefined ? Either.left(refusal(`headers.${name}`)) : Either.right([name, kept] as const)
      })
    ),
    Object.fromEntries
  )

const keptText = (
  name: "body" | "clientKey" | "clientSecret",
  given: string | null | undefined,
  stored: RequestSecrets
): Either.Either<string | null, Refusal> =>
  given !== undefined && given !== mask
    ? Either.right(given)
    : given === mask && stored[name] === null
    ? Either.left(refusal(name))
    : Either.right(stored[name])

/** The sealed values after an edit; what it omits or sends as the mask keeps its value. `stored` is empty for a new monitor. */
export const keptSecrets = (
  given: Pick<MonitorUpdate, keyof RequestSecrets>,
  stored: RequestSecrets
): Either.Either<RequestSecrets, Refusal> =>
  Either.all({
    headers: given.headers === undefined ? Either.right(stored.headers) : keptHeaders(given.headers, stored),
    body: keptText("body", given.body, stored),
    clientKey: keptText("clientKey", given.clientKey, stored),
    clientSecret: keptText("clientSecret", given.clientSecret, stored)
  })

/** A URL after an edit; the stored one as readers and events show it keeps it. */
export const keptUrl = (
  given: string,
  stored: string | undefined,
  path: "url" | "tokenUrl" = "url"
): Either.Either<string, Refusal> => {
  if (!given.includes(mask)) return Either.right(given)
  return stored !== undefined && given === maskUrl(stored) ? Either.right(stored) : Either.left(refusal(path))
}
